import Bytes
import CardCapture
import Foundation
import JSONDocument
import PaymentTerminal
import TerminalFiles
import Testing

@Suite("Exception files list cards by keyed hashes") struct ExceptionFileTests {
    private let key = SecretBytes([UInt8](repeating: 0x42, count: 32))
    private let visa = SecretBytes("4111111111111111".utf8)
    private let mastercard = SecretBytes("5555555555554444".utf8)

    @Test("a card is found again, with its sequence number where the line has one") func found() throws {
        let text = ExceptionFile.text(of: [(visa, nil), (mastercard, 2)], key: key)
        let list = try ExceptionFile(parsing: text, key: key)
        #expect(list.count == 2)
        #expect(list.contains(pan: visa, sequenceNumber: nil))
        #expect(list.contains(pan: visa, sequenceNumber: 7))
        #expect(list.contains(pan: mastercard, sequenceNumber: 2))
        #expect(!list.contains(pan: mastercard, sequenceNumber: 1))
        #expect(!list.contains(pan: mastercard, sequenceNumber: nil))
        #expect(!list.contains(pan: SecretBytes("4000000000000002".utf8), sequenceNumber: nil))
        #expect(!text.contains("4111"))
        #expect(!text.contains("5555"))
    }

    /// EMV 4.4 Book 3, annex A: tag 5F34 has format n 2, so number 12 is the byte 12 (hexadecimal).
    @Test("a sequence number of two digits is the card's byte") func sequenceNumber() throws {
        let text = ExceptionFile.text(of: [(visa, 0x12)], key: key)
        #expect(text.hasSuffix(" 12\n"))
        let list = try ExceptionFile(parsing: text, key: key)
        #expect(list.contains(pan: visa, sequenceNumber: 0x12))
        #expect(!list.contains(pan: visa, sequenceNumber: 12))
    }

    /// `printf %s 4111111111111111 | openssl dgst -sha256 -mac HMAC -macopt hexkey:4242…` with 32
    /// bytes 42.
    @Test("the hash is HMAC-SHA-256 of the digits, as another program computes it") func hash() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:" + String(repeating: "42", count: 32),
        ]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data("4111111111111111".utf8))
        try input.fileHandleForWriting.close()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let hash = try #require(printed.split(whereSeparator: \.isWhitespace).last)
        #expect(ExceptionFile.text(of: [(visa, nil)], key: key).contains("\n\(hash)\n"))
    }

    @Test(
        "what is not a line of the format is refused by its number",
        arguments: [
            ("", "line 1"), ("cardpresent-exceptions 2 0011223344556677\n", "line 1"),
            ("4111111111111111\n", "line 1"),
        ])
    func header(_ text: String, _ place: String) {
        let error = #expect(throws: DocumentError.self) { try ExceptionFile(parsing: text, key: key) }
        #expect(error?.path == place)
    }

    @Test(
        "a line is 64 digits, and behind a space two more or nothing",
        arguments: [
            "xyz", String(repeating: "0", count: 63), String(repeating: "0", count: 64) + " 1",
            String(repeating: "0", count: 64) + " 01 02", String(repeating: "0", count: 64) + " +1",
            String(repeating: "0", count: 64) + " 1A",
        ])
    func lines(_ line: String) {
        let text = ExceptionFile.text(of: [(visa, nil)], key: key) + line + "\n"
        let error = #expect(throws: DocumentError.self) { try ExceptionFile(parsing: text, key: key) }
        #expect(error?.path == "line 3")
    }

    @Test("a file of another key is refused, not read as empty") func otherKey() {
        let text = ExceptionFile.text(of: [(visa, nil)], key: SecretBytes([UInt8](repeating: 1, count: 32)))
        let error = #expect(throws: DocumentError.self) { try ExceptionFile(parsing: text, key: key) }
        #expect(error == DocumentError("line 1", ConfigurationFault.otherExceptionKey))
    }

    @Test("a configuration names the file and its key, whose mode is checked") func configuration() throws {
        let folder = URL.temporaryDirectory.appending(path: "exceptions-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = (
            folder.appending(path: "terminal.json"), folder.appending(path: "list"), folder.appending(path: "key")
        )
        try Data(
            #"{"merchant": {"name": "Shop"}, "terminal": {"id": "T1", "currency": "EUR", "country": 276}, "exceptions": {"file": "list", "key": "key"}}"#
                .utf8
        ).write(to: files.0)
        try Data(ExceptionFile.text(of: [(visa, nil)], key: key).utf8).write(to: files.1)
        try Data((String(repeating: "42", count: 32) + "\n").utf8).write(to: files.2)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.2.path())
        let exposed = #expect(throws: DocumentError.self) { try TerminalFile.load(files.0.path()) }
        #expect(
            exposed == DocumentError("exceptions.key", ConfigurationFault.notPrivate(files.2.path(), .openToOthers)))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.2.path())
        let loaded = try TerminalFile.load(files.0.path())
        #expect(loaded.terminal.exceptions?.contains(pan: visa, sequenceNumber: nil) == true)
        #expect(loaded.exceptionFiles == TerminalFile.ExceptionFileNames(file: "list", key: "key"))
        let again = try TerminalFile(parsing: loaded.json) { _ throws(DocumentError) in
            ""
        } exceptions: { names throws(DocumentError) in
            #expect(names == loaded.exceptionFiles)
            return try ExceptionFile(parsing: ExceptionFile.text(of: [], key: key), key: key)
        } devices: { name throws(DocumentError) in
            throw DocumentError("devices", ValueFault.missing)
        }
        #expect(again.exceptionFiles == loaded.exceptionFiles)
    }

    @Test("a listed card whose stripe was read is not stored while the host is away", arguments: [true, false])
    func stripeNotStored(isListed: Bool) async throws {
        let host = FakeHost { _ throws(HostError) in throw HostError(.unreachable, "no network") }
        let list = try ExceptionFile(
            parsing: ExceptionFile.text(of: isListed ? [(visa, nil)] : [(mastercard, nil)], key: key), key: key)
        let card = CapturedCard(entryMode: .magneticStripe, pan: visa, expiry: "3112")
        let terminal = try await terminal(host, reader: FakeReader(obedient: card)) {
            $0.offline.deferredAuthorization = [.magneticStripe]
            $0.exceptions = list
        }
        let response = try await terminal.processSale(Sale(orderID: "o1", amount: euros("1.00")))
        #expect(response.outcome == (isListed ? .declined : .storedOffline))
    }

    @Test("a listed card that is keyed in is not stored while the host is away", arguments: [true, false])
    func notStored(isListed: Bool) async throws {
        let host = FakeHost { _ throws(HostError) in throw HostError(.unreachable, "no network") }
        let list = try ExceptionFile(
            parsing: ExceptionFile.text(of: isListed ? [(visa, nil)] : [(mastercard, nil)], key: key), key: key)
        let terminal = try await terminal(host) {
            $0.offline.deferredAuthorization = [.keyed]
            $0.exceptions = list
        }
        let details = try CardDetails(pan: visa, expiry: #require(ExpiryDate(yymm: "3112")), cardholderName: nil)
        let sale = Sale(
            orderID: "o1", amount: try euros("1.00"), source: .keyed(details, cvv: nil),
            terms: PaymentTerms(channel: .mailOrTelephone))
        if isListed {
            let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale) }
            #expect(error?.code == .hostFailed(.unreachable))
        } else {
            #expect(try await terminal.processSale(sale).outcome == .storedOffline)
        }
    }
}
