import ArgumentParser
import Console
import JSONDocument
import PaymentTerminal
import TLV
import TerminalMessages

struct TillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "till",
        abstract: "Serve a till in any language: requests on standard input, answers and events on standard output.",
        discussion: """
            Each line is a JSON object (docs/terminal-messages.md). A request is answered by a message with its id; \
            questions and events come as they happen. An operation runs until it has ended, also after the end of \
            the input; then the command ends.

            EXAMPLES
              echo '{"request":"sale","id":"1","order":"o-1","amount":"12.34","currency":"EUR"}' | cardpresent till
              cardpresent till --tap --card mastercard
              cardpresent till --reader /dev/bus/usb/001/002 --ca-keys ca-keys.tsv --terminal terminal.json

            The exit status says nothing about payments: each request has its answer.

            \(ExitStatus.explanation)
            """)

    @Flag(
        help: "The card is held to a contactless reader: the virtual one to a virtual reader, or the one at --reader.")
    var tap = false

    @OptionGroup var language: LanguageOptions
    @OptionGroup var bench: BenchOptions

    func run() async throws {
        try await reportingErrors {
            let log = try bench.laneLog()
            let lane = try await BenchLane(
                bench, settings: try bench.shop.terminalFile(), interface: tap ? .contactless : .contact,
                callsIssuer: true,
                languages: language.languages, log: log)
            let events = lane.terminal.eventStream()
            let session = TillSession(lane.terminal) { message in
                StandardOutput.tell(String(decoding: message.json.document, as: UTF8.self))
            }
            let following = Task { await session.follow(events) }
            try await lane.withTerminal { _ in
                let lines = InputLines(limit: JSON.maximumSize)
                while let line = await lines.next() {
                    if !line.isEmpty { await session.receive(line) }
                }
                await session.finish()
            }
            following.cancel()
            try log.finishTrace()
        }
    }
}
