import Bytes
import SmartCard
import Testing
import TraceImport

import struct Foundation.Data
import struct Foundation.URL

/// Sessions that the tools of Debian 12 and PyPI have written with a virtual card of Visa's
/// published number behind vsmartcard's vpcd: pcscd 1.9.9, pcsc-tools 1.6.2 (pcsc_scan, scriptor,
/// and gscriptor, whose window was copied), OpenSC 0.23.0, pyscard 2.0.5, emv 1.0.14. The commands
/// are those that were typed; the answers of one tool are compared with those of the others. Paths
/// of the machine are taken out.
@Suite struct RecordedSessionTests {
    private static let select = "00A4040007A000000003101000"
    private static let directory = "00A404000E325041592E5359532E444446303100"
    private static let options = "80A8000002830000"
    private static let otherCard = "00A4040007A000000004101000"
    private static let records = ["00B2010C00", "00B2011400", "00B2021400"]
    /// What the client of pcscd, pcsc-spy and pyscard sent.
    private static let session = [select, directory, options] + records + ["0084000000", "80CA9F1700"]

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(
            try Data(
                contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recorded/\(name).log")
            ))
    }

    private static func log(_ name: String) throws -> LogImport { try LogImport(bytes(name)) }

    private static func commands(_ log: LogImport) -> [String] { log.trace.exchanges.map(\.command.bytes.hex) }

    @Test(arguments: [
        ("pcscd", LogFormat.pcscd), ("pcsc-spy", .pcscSpy), ("pcsc-spy-color", .pcscSpy), ("pyscard", .pyscard),
    ])
    func oneClient(_ name: String, _ format: LogFormat) throws {
        let log = try Self.log(name)
        #expect(log.format == format)
        #expect(log.problems.isEmpty)
        #expect(Self.commands(log) == Self.session)
        // The dumps and lines are of sixteen bytes, or of any length: 6F1B… has 31, the
        // certificate's record 184.
        #expect(log.trace.exchanges.map(\.response.bytes.count) == [31, 2, 22, 40, 17, 184, 10, 6])
    }

    @Test("scriptor breaks answers after sixteen bytes")
    func scriptor() throws {
        let log = try Self.log("scriptor")
        #expect(log.format == .scriptor)
        #expect(log.problems.isEmpty)
        #expect(
            Self.commands(log) == [
                "00A4040007A0000000031010", "00A404000E325041592E5359532E4444463031", Self.select, Self.options,
                "00B2010C00", "00B2011400",
                "00B2021400", "00B2010400", "00B2FF0C00", "0084000000", "80CA9F1700", "80CA9F3600",
            ])
        #expect(log.trace.entries.first?.event == .reader(.reset(try [UInt8](hex: "3BE500008131FE454350564331D9"))))
    }

    @Test("gscriptor breaks commands and answers, and says the status word in a line of its own")
    func gscriptor() throws {
        let log = try Self.log("gscriptor")
        #expect(log.format == .gscriptor)
        #expect(log.problems.isEmpty)
        #expect(Self.commands(log) == Self.session + ["80CA9F3600"])
        #expect(log.trace.exchanges.map(\.response.bytes.count) == [31, 2, 22, 40, 17, 184, 10, 6, 7])
        #expect(log.trace.entries.first?.event == .reader(.reset(try [UInt8](hex: "3BE500008131FE454350564331D9"))))
        // What was copied from the middle of the window.
        let lines = String(decoding: try Self.bytes("gscriptor"), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        let part = try LogImport(Array(lines.dropFirst(5).joined(separator: "\n").utf8))
        #expect(part.format == .gscriptor)
        #expect(part.trace.exchanges.count == 9)
    }

    @Test("A scan has no conversation, and the error says where its answers to reset are explained")
    func scan() throws {
        #expect(throws: LogProblem(.whole, .answersToResetAlone)) { try Self.log("pcsc_scan") }
    }

    @Test(arguments: ["opensc-tool", "opensc-debug"])
    func openSC(_ name: String) throws {
        let log = try Self.log(name)
        #expect(log.format == .openSC)
        #expect(log.problems.isEmpty)
        let expected =
            name == "opensc-tool"
            ? [Self.select, Self.options, "00B2010C00", "00B2011400", "0084000000"]
            : [Self.select, Self.options, "00B2021400"]
        #expect(Self.commands(log) == expected)
    }

    @Test func pythonEMV() throws {
        let log = try Self.log("python-emv")
        #expect(log.format == .pythonEMV)
        #expect(log.problems.isEmpty)
        #expect(Self.commands(log).prefix(4) == [Self.select, Self.options, "00B2010C00", "00B2011400"])
        #expect(log.trace.exchanges.count == 13)
    }

    /// The card and its keys were the same in the first four; those of pcscd's and python-emv's
    /// were made later.
    @Test("Every tool shows the same answers of one card")
    func agreement() throws {
        var answers: [String: [UInt8]] = [:]
        for name in ["scriptor", "opensc-tool", "opensc-debug", "pyscard", "pcsc-spy"] {
            for exchange in try Self.log(name).trace.exchanges where exchange.command.ins != 0x84 {
                let command = exchange.command.bytes.hex
                let before = answers.updateValue(exchange.response.bytes, forKey: command)
                #expect(before == nil || before == exchange.response.bytes, "\(name): \(command)")
            }
        }
        #expect(answers["00B2021400"]?.count == 184)
    }

    @Test(
        "The calls of two threads are told apart, with -t and without", arguments: ["pcsc-spy-t", "pcsc-spy-threads"])
    func threads(_ name: String) throws {
        let log = try Self.log(name)
        #expect(log.problems.isEmpty)
        let own = Self.commands(log).filter { $0 != Self.otherCard && $0 != "80CA9F3600" }
        #expect(own == Self.session)
        #expect(log.trace.exchanges.count == 10)
        try expectOwnAnswers(log)
    }

    /// In the colored log each line names its thread; in the other one the lines around each
    /// command name its client.
    @Test("Two clients of pcscd do not get each other's answers", arguments: ["pcscd-threads", "pcscd-two-readers"])
    func clients(_ name: String) throws {
        let log = try Self.log(name)
        #expect(log.problems.isEmpty)
        if name == "pcscd-threads" {
            try expectOwnAnswers(log)
        } else {
            // The reader with the Mastercard does not have the Visa application, and answers what
            // follows with 6985.
            let selected = log.trace.exchanges.filter { $0.command.bytes.hex == Self.select }.map(
                \.response.status.description)
            #expect(selected.sorted() == ["6A82", "9000"])
            #expect(log.trace.exchanges.count == 16)
            let record = log.trace.exchanges.filter { $0.command.bytes.hex == "00B2010C00" }.map(
                \.response.status.description)
            #expect(record.sorted() == ["6985", "9000"])
        }
        let times = log.trace.exchanges.flatMap { [$0.sent, $0.received].compactMap { $0 } }
        #expect(times == times.sorted())
    }

    /// The card is a Visa: it has not got the other's application.
    private func expectOwnAnswers(_ log: LogImport) throws {
        for exchange in log.trace.exchanges {
            switch exchange.command.bytes.hex {
            case Self.select: #expect(exchange.response.bytes.hex.hasPrefix("6F1B8407A0000000031010"))
            case Self.otherCard: #expect(exchange.response.bytes.hex == "6A82")
            default: break
            }
        }
    }

    /// Without thread and client nobody can say whose answers they are.
    @Test func clientsWithoutNames() throws {
        let text = String(decoding: try Self.bytes("pcscd-two-readers"), as: UTF8.self)
            .split(separator: "\n").filter { !$0.contains("for client") && !$0.contains("from client") }.joined(
                separator: "\n")
        #expect(throws: LogProblem.self) { try LogImport(Array(text.utf8)) }
        let one = String(decoding: try Self.bytes("pcscd"), as: UTF8.self)
        let log = try LogImport(Array((one + text).utf8), brokenParts: .skipped)
        #expect(log.problems.contains { $0.reason == .severalClients })
        #expect(Self.commands(log) == Self.session)
    }

    @Test("A card that was taken out: the command stays, with what the tool said")
    func removed() throws {
        let log = try Self.log("pyscard-removed")
        let events = log.trace.entries.map(\.event)
        let command = try #require(CommandAPDU([0x80, 0xA8, 0, 0, 0x02, 0x83, 0, 0]))
        #expect(
            events.suffix(3) == [
                .unanswered(command), .reader(.cardRemoved),
                .reader(
                    .other(
                        "smartcard.Exceptions.CardConnectionException: Failed to transmit with protocol T1. Card was removed."
                    )),
            ])
        #expect(log.problems.isEmpty)
        // scriptor's error went to standard error, before what it had printed.
        let script = try Self.log("scriptor-removed")
        #expect(script.trace.entries.map(\.event).suffix(2) == [.unanswered(command), .reader(.noAnswer)])
        #expect(script.problems == [LogProblem(.line(10), .commandWithoutAnswer)])
        // gscriptor shows the script that went through before, and what PC/SC says of the second.
        let window = try Self.log("gscriptor-removed")
        let select = try #require(CommandAPDU(try [UInt8](hex: Self.select)))
        #expect(
            window.trace.entries.map(\.event).suffix(3) == [
                .unanswered(select), .reader(.noAnswer),
                .reader(.other("Errors During Script Execution: Card was reset.")),
            ])
        #expect(window.problems.isEmpty)
    }
}
