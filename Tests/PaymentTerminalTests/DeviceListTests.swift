import Bytes
import CardCapture
import Foundation
import JSONDocument
import PaymentTerminal
import TerminalFiles
import Testing

@Suite("A list of devices enables readers and refuses cards") struct DeviceListTests {
    private static let text = """
        {"readers": [
          {"name": "Acme Pad", "serialNumber": "17", "refusedCards": [{"issuer": "411111", "brand": "VISA"}, {"aid": "A000000004"}]},
          {"name": "Acme Pad", "enabled": false},
          {"name": "Fake reader 1"}
        ]}
        """

    private func terminal(_ devices: Terminal.DeviceList, _ host: FakeHost) -> Terminal {
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        configuration.devices = devices
        return Terminal(configuration: configuration, host: host, journal: MemoryJournal()) { noon }
    }

    private func list(refusing kind: Terminal.DeviceList.CardKind?) -> Terminal.DeviceList {
        Terminal.DeviceList(readers: [.init(name: "Fake reader 1", refusedCards: kind.map { [$0] } ?? [])])
    }

    @Test("the first entry that fits by name and serial number counts") func document() throws {
        let list = try Terminal.DeviceList(parsing: Self.text)
        let pad = { (serialNumber: String?) in ReaderIdentity(maker: "Acme", model: "Pad", serialNumber: serialNumber) }
        #expect(list.isEnabled(name: "pad at /dev/ttyACM0", identity: pad("17")))
        #expect(!list.isEnabled(name: "pad at /dev/ttyACM0", identity: pad("18")))
        #expect(!list.isEnabled(name: "Acme Pad", identity: pad(nil)))
        #expect(list.isEnabled(name: "Fake reader 1", identity: ReaderIdentity()))
        #expect(!list.isEnabled(name: "Other", identity: ReaderIdentity()), "what is not listed is not enabled")
        #expect(
            list.readers[0].refusedCards.map(\.issuer) == ["411111", nil]
                && list.readers[0].refusedCards[0].brand == .visa)
        #expect(list.readers[0].refusedCards[1].applicationIdentifier == [0xA0, 0, 0, 0, 4])
    }

    @Test(
        "an error names its place",
        arguments: [
            ("{}", "readers"), (#"{"readers": [{}]}"#, "readers[0].name"),
            (#"{"readers": [{"name": "a", "enabled": 1}]}"#, "readers[0].enabled"),
            (#"{"readers": [{"name": "a", "refusedCards": [{}]}]}"#, "readers[0].refusedCards[0]"),
            (#"{"readers": [{"name": "a", "refusedCards": [{"issuer": "4"}]}]}"#, "readers[0].refusedCards[0].issuer"),
            (
                #"{"readers": [{"name": "a", "refusedCards": [{"issuer": "123456789"}]}]}"#,
                "readers[0].refusedCards[0].issuer"
            ),
            (#"{"readers": [{"name": "a", "refusedCards": [{"brand": "visa"}]}]}"#, "readers[0].refusedCards[0].brand"),
            (#"{"readers": [{"name": "a", "refusedCards": [{"aid": "A000"}]}]}"#, "readers[0].refusedCards[0].aid"),
            (#"{"readers": [{"name": "a", "blacklist": []}]}"#, "readers[0].blacklist"),
        ])
    func faults(_ text: String, _ place: String) {
        let error = #expect(throws: DocumentError.self) { try Terminal.DeviceList(parsing: text) }
        #expect(error?.path == place)
    }

    @Test("A4: a reader that is not enabled is not connected, and the one before stays") func enabled() async throws {
        let reader = FakeReader(obedient: chipCard())
        let allowed = terminal(list(refusing: nil), FakeHost())
        try await allowed.connect(reader)
        #expect(await allowed.connectedReader == "Fake reader 1")
        for devices in [
            Terminal.DeviceList(readers: []), .init(readers: [.init(name: "Fake reader 1", isEnabled: false)]),
        ] {
            let terminal = self.terminal(devices, FakeHost())
            let error = await #expect(throws: TerminalError.self) { try await terminal.connect(reader) }
            #expect(error?.code == .readerNotEnabled)
            #expect(await terminal.connectedReader == nil)
        }
    }

    @Test(
        "A4: a refused card is refused before the host is asked, whether it goes online or not",
        arguments: [true, false])
    func refused(_ asksHost: Bool) async throws {
        let card = chipCard()
        let pan = try #require(card.pan)
        let issuer = String(decoding: pan.revealed().prefix(6), as: UTF8.self)
        let host = FakeHost()
        let reader = FakeReader(card, asksHost: asksHost) { answer throws(CaptureError) in
            if case .answered(let answer)? = answer {
                #expect(answer.responseCode == "05")
                return CaptureOutcome(decision: .declinedOnline, card: card)
            }
            return CaptureOutcome(decision: .approvedOffline, card: card)
        }
        let terminal = self.terminal(list(refusing: .init(issuer: issuer)), host)
        try await terminal.connect(reader)
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(Sale(orderID: "order-1", amount: Money(minorUnits: 12_34, currency: .euro)))
        }
        #expect(error?.code == .cardKindRefused)
        #expect(host.seen.authorizations.isEmpty)
        let another = self.terminal(list(refusing: .init(issuer: "99")), FakeHost())
        try await another.connect(FakeReader(obedient: card))
        let response = try await another.processSale(
            Sale(orderID: "order-2", amount: Money(minorUnits: 12_34, currency: .euro)))
        #expect(response.outcome == .approved)
    }

    @Test("issuer, brand and application must all fit, as far as they are given") func kinds() throws {
        let card = chipCard()
        func refuses(_ kind: Terminal.DeviceList.CardKind?) throws -> Bool {
            let kind: Terminal.DeviceList.CardKind = try #require(kind)
            return list(refusing: kind).refuses(card, readBy: "Fake reader 1", identity: ReaderIdentity())
        }
        let digits = String(decoding: try #require(card.pan).revealed().prefix(8), as: UTF8.self)
        let brand = try #require(CardSummary(card).brand)
        let other = try #require(CardBrand.allCases.first { $0 != brand })
        #expect(try refuses(.init(issuer: digits)))
        #expect(try refuses(.init(issuer: String(digits.prefix(2)), brand: brand)))
        #expect(try !refuses(.init(issuer: digits, brand: other)))
        #expect(try !refuses(.init(brand: other)))
        #expect(try !refuses(.init(issuer: digits, applicationIdentifier: [1, 2, 3, 4, 5])))
        #expect(Terminal.DeviceList.CardKind() == nil)
        #expect(Terminal.DeviceList.CardKind(issuer: "4") == nil)
        #expect(Terminal.DeviceList.CardKind(issuer: "4a") == nil)
        #expect(Terminal.DeviceList.CardKind(applicationIdentifier: [1]) == nil)
    }

    @Test("A4: a terminal's file names the list, whose errors have the path") func terminalFile() throws {
        let folder = URL.temporaryDirectory.appending(path: "devices-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "terminal.json").path(percentEncoded: false)
        let text =
            #"{"merchant": {"name": "Shop"}, "terminal": {"id": "L1", "currency": "EUR", "country": 276}, "devices": "list.json"}"#
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let missing = #expect(throws: DocumentError.self) { try TerminalFile.load(path) }
        #expect(missing?.path == "devices")
        try Self.text.write(to: folder.appending(path: "list.json"), atomically: true, encoding: .utf8)
        let file = try TerminalFile.load(path)
        #expect(file.terminal.devices?.readers.count == 3)
        #expect(file.deviceFile == "list.json")
        #expect(file.json.contains(#""devices" : "list.json""#))
        #expect(!file.json.contains("411111"))
        try #"{"readers": 1}"#.write(to: folder.appending(path: "list.json"), atomically: true, encoding: .utf8)
        let list = folder.appending(path: "list.json").path()
        let wrong = #expect(throws: DocumentError.self) { try TerminalFile.load(path) }
        let fault = DocumentError("readers", ValueFault.otherKind(.list, .number))
        #expect(wrong == DocumentError("devices", ConfigurationFault.document(list, fault)))
    }
}
