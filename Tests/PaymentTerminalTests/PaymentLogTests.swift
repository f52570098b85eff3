import CardCapture
import Foundation
import JSONDocument
import PaymentTerminal
import TerminalFiles
import Testing

/// The logs of operations, as files.
@Suite struct PaymentLogTests {
    /// A new folder that is removed with the value.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "logs-\(UUID().uuidString)").path

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

        func lines(_ name: String) throws -> [String] {
            try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8).split(separator: "\n").map(String.init)
        }

        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: name.isEmpty ? path : "\(path)/\(name)")[.posixPermissions]
                as? Int
        }
    }

    private func sale(_ id: String) throws -> Sale { Sale(orderID: try OrderID(id), amount: try euros("12.34")) }

    @Test("A3: a payment has a log for its owner, with request, answer and result, and without card data")
    func approved() async throws {
        let folder = Folder()
        let log = try Terminal.PaymentLogFolder(path: folder.path)
        let terminal = try await terminal(FakeHost(), reader: FakeReader(obedient: chipCard())) { $0.paymentLog = log }
        #expect(folder.names.isEmpty, "nothing is logged between operations")
        _ = try await terminal.processSale(sale("o1"))
        // `noon` in local time.
        #expect(folder.names == ["BENCH001-2026-03-09-130509-001.log"])
        let name = try #require(folder.names.first)
        #expect(try folder.mode(name) == 0o600)
        #expect(try folder.mode("") == 0o700)
        let lines = try folder.lines(name)
        #expect(lines.allSatisfy { $0.hasPrefix("2026-03-09 13:05:09 ") })
        let texts = lines.map { String($0.dropFirst("2026-03-09 13:05:09 ".count)) }
        #expect(texts.first == "- sale o1 at terminal BENCH001")
        let request = try #require(texts.firstIndex(of: "> sale o1, 12.34 EUR, card 476173******0010"))
        let answer = try #require(texts.firstIndex { $0.hasPrefix("< response code 00, 12.34 EUR") })
        #expect(request < answer)
        #expect(answer < texts.count - 1)
        #expect(texts.last?.hasPrefix("- approved, reversal none: ") == true)
        #expect(!texts.contains { $0.contains("4761739001010010") || $0.contains("CARDHOLDER") })
    }

    @Test("A3: a failed payment has a log too, and the error its own mark") func failed() async throws {
        let folder = Folder()
        let log = try Terminal.PaymentLogFolder(path: folder.path)
        let host = FakeHost { _ throws(HostError) in throw HostError(.unreachable, "no line") }
        let terminal = try await terminal(host) { $0.paymentLog = log }
        await #expect(throws: TerminalError.self) { try await terminal.processSale(sale("o2")) }
        let lines = try folder.lines(try #require(folder.names.first))
        #expect(lines.last?.contains(" ! readerNotConnected: ") == true, "\(lines)")
    }

    @Test("A3: only the last logs of a terminal are kept, and those of another are not touched") func retention()
        async throws
    {
        let folder = Folder()
        let log = try Terminal.PaymentLogFolder(path: folder.path, maximumCount: 2)
        for later in Int64(0)..<4 {
            let terminal = try await terminal(FakeHost(), secondsLater: later) {
                $0.paymentLog = log
                $0.terminalID = later == 0 ? "BENCH-2" : "BENCH001"
            }
            _ = try await terminal.transactions()
        }
        #expect(
            folder.names == [
                "BENCH%2d2-2026-03-09-130509-001.log", "BENCH001-2026-03-09-130511-001.log",
                "BENCH001-2026-03-09-130512-001.log",
            ])
        // A second operation in the same second has a number of its own.
        let last = try await terminal(FakeHost(), secondsLater: 3) { $0.paymentLog = log }
        _ = try await last.transactions()
        #expect(folder.names.suffix(2) == ["BENCH001-2026-03-09-130512-001.log", "BENCH001-2026-03-09-130512-002.log"])
    }

    @Test("A3: a text of a host cannot add lines or show a card number") func foreignText() async throws {
        let folder = Folder()
        let log = try Terminal.PaymentLogFolder(path: folder.path)
        let host = FakeHost { _ throws(HostError) in
            throw HostError(.cardRefused, "card 4761739001010010\n2026-03-09 < response code 00")
        }
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard())) { $0.paymentLog = log }
        _ = try? await terminal.processSale(sale("o3"))
        let lines = try folder.lines(try #require(folder.names.first))
        let line = try #require(lines.first { $0.contains("response code 00") })
        #expect(line.contains(" ! to sale o3"))
        #expect(line.contains("card 476173******0010 2026-03-09 <"))
        #expect(!lines.contains { $0.contains("4761739001010010") })
    }

    @Test("A3: a folder that others can read gets no logs; one that disappears stops no payment") func folders()
        async throws
    {
        let folder = Folder()
        let log = try Terminal.PaymentLogFolder(path: folder.path)
        let terminal = try await terminal(FakeHost(), reader: FakeReader(obedient: chipCard())) { $0.paymentLog = log }
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(try await terminal.processSale(sale("o4")).outcome == .approved)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        #expect(throws: Terminal.PaymentLogFolder.Failure.accessible) {
            try Terminal.PaymentLogFolder(path: folder.path)
        }
        #expect(throws: Terminal.PaymentLogFolder.Failure.notCreated) {
            try Terminal.PaymentLogFolder(path: "/dev/null/logs")
        }
    }

    @Test("A3: a terminal's file names the folder, from its own place") func terminalFile() throws {
        let folder = Folder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        func load(_ log: String, createsLogFolder: Bool = true) throws -> TerminalFile {
            let text =
                #"{"merchant": {"name": "Shop"}, "terminal": {"id": "L1", "currency": "EUR", "country": 276}, "paymentLog": \#(log)}"#
            try text.write(toFile: "\(folder.path)/terminal.json", atomically: true, encoding: .utf8)
            return try TerminalFile.load("\(folder.path)/terminal.json", createsLogFolder: createsLogFolder)
        }
        let file = try load(#"{"folder": "logs", "maximumCount": 2}"#)
        #expect(file.terminal.paymentLog?.maximumCount == 2)
        #expect(try folder.mode("logs") == 0o700)
        #expect(try load(try file.paymentLogJSON).paymentLog == file.paymentLog)
        #expect(try load("null").terminal.paymentLog == nil)
        #expect(try load(#"{"folder": "logs"}"#).terminal.paymentLog?.maximumCount == 500)

        #expect(try load(#"{"folder": "checked"}"#, createsLogFolder: false).terminal.paymentLog?.maximumCount == 500)
        #expect(!folder.names.contains("checked"), "a check creates nothing")

        func place(_ log: String, createsLogFolder: Bool = true) -> String? {
            #expect(throws: DocumentError.self) { try load(log, createsLogFolder: createsLogFolder) }?.path
        }
        #expect(place(#"{"folder": "logs", "maximumCount": 0}"#) == "paymentLog.maximumCount")
        for createsLogFolder in [true, false] {
            #expect(place(#"{"folder": "terminal.json"}"#, createsLogFolder: createsLogFolder) == "paymentLog.folder")
            #expect(
                place(#"{"folder": "terminal.json/logs"}"#, createsLogFolder: createsLogFolder) == "paymentLog.folder")
        }
        #expect(place(#"{"directory": "logs"}"#) == "paymentLog.directory")
    }
}

extension TerminalFile {
    /// The value of `paymentLog` in the written document.
    fileprivate var paymentLogJSON: String {
        get throws {
            let document = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            return String(
                decoding: try JSONSerialization.data(withJSONObject: try #require(document["paymentLog"])),
                as: UTF8.self)
        }
    }
}
