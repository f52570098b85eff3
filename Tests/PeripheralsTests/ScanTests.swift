import DeviceIO
import Glibc
import Testing

@testable import Peripherals

/// Scans as bytes and keys. Key codes are those of linux/input-event-codes.h.
@Suite("Scans in every format") struct ScanTests {
    private static func shown(_ events: [ScannerEvent]) -> [String] {
        events.map { event in
            switch event {
            case .scan(let scan): (scan.identifier?.description ?? "") + "|" + (scan.text ?? "not text")
            case .refused(let reason): reason.rawValue
            case .disconnected: "disconnected"
            }
        }
    }

    /// ISO/IEC 15424: ]E0 EAN-13, ]Q1 QR, ]C1 GS1-128.
    @Test(
        arguments: [
            ("4006381333931\r", ["|4006381333931"]), ("4006381333931\r\n", ["|4006381333931"]), ("\r\r\n", []),
            ("]E04006381333931\r]Q1https://example.com\r", ["]E0|4006381333931", "]Q1|https://example.com"]),
            ("]C101\u{1D}10ABC\r", ["]C1|01\u{1D}10ABC"]), ("]]]\r", ["|]]]"]), ("]E\r", ["|]E"]),
            ("Grüße\r", ["|Grüße"]),
        ])
    func serial(_ sent: String, _ expected: [String]) {
        var whole = SerialScan(ScanFormat())
        #expect(Self.shown(whole.take(Array(sent.utf8))) == expected)
        var torn = SerialScan(ScanFormat())
        #expect(Self.shown(sent.utf8.flatMap { torn.take([$0]) }) == expected)
    }

    @Test("Prefix and suffix are taken off; what lacks them is refused") func frames() {
        var scan = SerialScan(ScanFormat(prefix: [0x02], suffix: [0x03]))
        #expect(Self.shown(scan.take([0x02] + Array("123".utf8) + [0x03, 0x0D])) == ["|123"])
        #expect(Self.shown(scan.take(Array("123\r".utf8))) == ["otherFormat"])
        #expect(Self.shown(scan.take([0x02, 0x0D])) == ["otherFormat"])
    }

    @Test("A code of 4 KB is taken, one of more than 8 KB refused, and the next is whole") func long() {
        var scan = SerialScan(ScanFormat())
        let code = String(repeating: "0123456789ABCDEF", count: 256)
        #expect(Self.shown(scan.take(Array("\(code)\r".utf8))) == ["|\(code)"])
        #expect(Self.shown(scan.take([UInt8](repeating: 0x30, count: 8193) + [0x0D])) == ["tooLong"])
        #expect(Self.shown(scan.take(Array("1\r".utf8))) == ["|1"])
    }

    @Test("An end that does not come is told; without an end, silence is the end") func silence() {
        var scan = SerialScan(ScanFormat())
        #expect(scan.silence == nil)
        _ = scan.take([0x31])
        #expect(scan.silence == .seconds(2))
        #expect(Self.shown([scan.fallSilent()].compactMap(\.self)) == ["unfinished"])
        var silent = SerialScan(ScanFormat(end: .silence(.milliseconds(100))))
        _ = silent.take([0x31, 0x32])
        #expect(Self.shown([silent.fallSilent()].compactMap(\.self)) == ["|12"])
        #expect(silent.fallSilent() == nil)
    }

    private static func typed(_ keys: [(UInt16, Bool)], _ format: ScanFormat = ScanFormat()) -> [String] {
        var scan = KeyedScan(format)
        return shown(keys.compactMap { scan.take($0.1 ? .pressed($0.0) : .released($0.0)) })
    }

    private static func strokes(_ keys: UInt16...) -> [(UInt16, Bool)] { keys.flatMap { [($0, true), ($0, false)] } }

    @Test("Keys: digits, shift, Enter of both kinds, Tab") func keys() {
        #expect(Self.typed(Self.strokes(2, 3, 4, 28)) == ["|123"])
        #expect(Self.typed(Self.strokes(2, 96)) == ["|1"])
        #expect(Self.typed(Self.strokes(2, 15)) == ["|1"])
        #expect(Self.typed(Self.strokes(28, 28)) == [])
        #expect(Self.typed([(42, true)] + Self.strokes(30) + [(42, false)] + Self.strokes(48, 28)) == ["|Ab"])
        // InvenTree 10589: Caps Lock of the computer changes nothing.
        #expect(Self.typed(Self.strokes(58, 30, 28)) == ["|a"])
    }

    @Test("Keys: GS by Ctrl and ], and by Alt and 29 on the keypad") func groupSeparators() {
        #expect(
            Self.typed(Self.strokes(2) + [(29, true)] + Self.strokes(27) + [(29, false)] + Self.strokes(3, 28)) == [
                "|1\u{1D}2"
            ])
        #expect(
            Self.typed(Self.strokes(2) + [(56, true)] + Self.strokes(80, 73) + [(56, false)] + Self.strokes(3, 28)) == [
                "|1\u{1D}2"
            ])
    }

    @Test("Keys that the system lost are told, and the next scan is whole") func lostKeys() {
        var scan = KeyedScan(ScanFormat())
        _ = scan.take(.pressed(2))
        _ = scan.take(.lost)
        _ = scan.take(.pressed(3))
        #expect(Self.shown([scan.take(.pressed(28))].compactMap(\.self)) == ["torn"])
        _ = scan.take(.pressed(3))
        #expect(Self.shown([scan.take(.pressed(28))].compactMap(\.self)) == ["|2"])
    }

    @Test("What is printed of a scan is its length") func redaction() throws {
        var scan = SerialScan(ScanFormat())
        let event = try #require(scan.take(Array("]E04111111111111111\r".utf8)).first)
        guard case .scan(let scanned) = event else { return }
        #expect("\(scanned)" == "scan of 16 bytes, ]E0")
        var dumped = ""
        dump(event, to: &dumped)
        #expect(!dumped.contains("4111"))
    }

    @Test(
        arguments: [
            ("]E0", .ean, false), ("]C1", .code128, true), ("]Q3", .qr, true), ("]d2", .dataMatrix, true),
            ("]e0", .dataBar, true),
        ]
            as [(String, AIMIdentifier.Symbology, Bool)])
    func identifiers(_ text: String, _ symbology: AIMIdentifier.Symbology, _ isGS1: Bool) throws {
        let identifier = try #require(AIMIdentifier(Array(text.utf8)))
        #expect(identifier.symbology == symbology)
        #expect(identifier.isGS1 == isGS1)
        #expect(identifier.description == text)
    }
}
