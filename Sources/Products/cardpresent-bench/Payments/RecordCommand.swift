import ArgumentParser
import CardCapture
import CardReaders
import Console
import DeviceIO
import EMVKernel
import EMVReplay
import JSONDocument
import PaymentTerminal
import SmartCard
import TLV
import TerminalFiles
import TerminalMessages

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Make one sale and record it as a trace.",
        discussion: """
            The output is a trace (docs/trace-format.md): reader events, every command and answer, \
            the kernel's decisions and the messages to and from the host. Its head describes the \
            terminal and the outcome, so that a replay can compare with it.

            Card data are masked, and a masked trace cannot be replayed. --show-card-data writes everything but PINs, \
            of kernel 8 also the terminal's key (kernel-8-key), without which its taps cannot be replayed, and of a \
            virtual card the issuer's test key, with which a replay proves its cryptograms. If the card \
            number is not a published test number, the trace is masked anyway, and the exit status is 2.

            EXAMPLES
              cardpresent record 12.34 --show-card-data -o case.apdu && cardpresent replay --strict case.apdu
              cardpresent record 12.34 --card Vectors/cards/maestro.json --times -o case.apdu
              cardpresent record 12.34 --tap --card mastercard --show-card-data -o case.apdu
              cardpresent record 12.34 --reader /dev/bus/usb/001/002 --ca-keys ca-keys.tsv --wire --times -o case.apdu

            With --tap the card is held to a contactless reader, and standard error shows what the \
            cardholder sees there, as `sale --tap` does. A card that requires its contacts ends the recording.

            The exit status is 1 if the sale was not approved, neither by the issuer nor offline; it is recorded in any case.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The amount: 12.34, 10 or \"12.34 EUR\".")
    var amount: String

    @Option(name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("The trace.", valueName: "file"))
    var output: String

    @Flag(help: "Overwrite the output file.")
    var force = false

    @Flag(help: "Write the time of each event; two recordings then always differ.")
    var times = false

    @Flag(help: "Record the reader's USB transfers too.")
    var wire = false

    @Flag(help: "Write PANs, tracks and names in full. For test cards only.")
    var showCardData = false

    @Flag(
        help: "The card is held to a contactless reader: the virtual one to a virtual reader, or the one at --reader.")
    var tap = false

    @Flag(help: "As JSON (docs/json.md).")
    var json = false

    @OptionGroup var language: LanguageOptions
    @OptionGroup var bench: BenchOptions

    func run() async throws {
        try await reportingErrors {
            if wire && bench.reader == nil {
                throw InputError("--wire is for a card in a reader: give it with --reader")
            }
            if !force, InputFile.identity(output) != nil { throw alreadyThere }
            let settings = try bench.shop.terminalFile()
            let amount = try Money(typed: amount, in: settings?.terminal.currency ?? .euro)
            let order = try OrderID.generated("record")
            let recording = TraceRecording(of: order)
            let log = try bench.laneLog(recording: recording)
            let redaction = showCardData ? WireRecorder.nothing : CCIDRedaction.redaction
            let recorder = wire ? WireRecorder(redact: redaction) { recording.add($0) } : nil
            let lane = try await BenchLane(
                bench, settings: settings, interface: tap ? .contactless : .contact, wire: recorder,
                languages: language.languages, log: log)
            let screen = tap ? TapScreen(languages: lane.languages) : nil
            if tap { recording.begin(lane.taps, Self.request(amount)) }
            var verdict = ""
            var sale: PaymentResponse?
            var failure: (any Error)?
            do {
                let response = try await lane.showing(on: screen) { terminal in
                    try await terminal.processSale(Sale(orderID: order, amount: amount))
                }
                verdict = response.description
                sale = response
            } catch {
                failure = error
                verdict = "no payment: \(Masking.text("\(error)"))"
            }
            try log.finishTrace()
            try write(
                recording.trace(
                    title: "Sale of \(amount), \(bench.reader == nil ? "virtual card" : "card in a reader")",
                    verdict: verdict),
                of: lane)
            if json {
                JSONText.show([
                    "trace": .text(InputFile.name(output)), "sale": sale.map { TerminalMessage(.payment($0)).json },
                ])
            } else {
                print("\(verdict); recorded in \(InputFile.name(output))")
            }
            if let failure { throw failure }
            if sale?.isAccepted != true { throw ExitCode(ExitStatus.negative) }
        }
    }

    /// What the terminal asks of the card, for the head of the trace.
    private static func request(_ amount: Money) -> TransactionRequest {
        let now = Timestamp.now()
        return TransactionRequest(
            amount: UInt64(clamping: amount.minorUnits), currencyCode: amount.currency.number,
            currencyExponent: amount.currency.exponent, date: now.transactionDate, time: now.transactionTime)
    }

    private var alreadyThere: InputError {
        InputError("\(output) exists: choose another name, or overwrite it with --force")
    }

    private func write(_ trace: APDUTrace, of lane: BenchLane) throws {
        guard trace.entries.contains(where: \.event.isExchange) else {
            throw InputError("no command reached the card, and nothing was recorded: \(trace["verdict"] ?? "")")
        }
        let isRefused =
            showCardData && !(bench.reader == nil && lane.hasEncipheredTestCard) && !trace.deciphered.hasOnlyTestCards
        let isShown = showCardData && !isRefused
        var trace = trace
        // With the keys anybody can read the enciphered records.
        if !isShown { trace.metadata.removeAll { $0.name == RecordedChannelKeys.name } }
        // So that a replay proves the cryptograms. Those of kernel 8 are over data that no answer
        // has.
        if isShown, bench.reader == nil, !(tap && lane.hasEncipheredTestCard) {
            trace.metadata.append(("issuer-master-key", lane.issuerMasterKey))
            // The test issuer has one key for both.
            if tap { trace.metadata.append(("cvc3-master-key", lane.issuerMasterKey)) }
        }
        var writer = APDUTraceWriter(isShown ? .testCard : .redacted, showsTimes: times)
        if force {
            try OutputFile.replace(output, with: writer.text(trace))
        } else if try !OutputFile.create(output, with: writer.text(trace)) {
            throw alreadyThere
        }
        if isRefused {
            throw InputError(
                "\(output): the card number is not a published test number: its data are masked, and the recording cannot be replayed"
            )
        }
    }
}

extension APDUTrace.Event {
    fileprivate var isExchange: Bool {
        switch self {
        case .exchange, .unanswered: true
        default: false
        }
    }
}
