import Foundation

/// What may never be seen: card data and PINs, in every form in which they could leak.
struct Canary: Sendable {
    let name: String
    /// Sought in the bytes as they are.
    let raw: [[UInt8]]
    /// Sought in the letters and digits alone, so that no separator hides it. Upper case.
    let compact: [String]

    /// A card number.
    init(pan: String) {
        name = "PAN \(pan.prefix(6))…\(pan.suffix(4))"
        raw = [Self.packed(pan), Self.utf16(pan, bigEndian: true), Self.utf16(pan, bigEndian: false)]
        // The digits as text are also those of the packed digits; the second form is the ASCII text
        // in hexadecimal digits.
        compact = [pan, Self.hex(Array(pan.utf8))]
    }

    /// The track 2 equivalent data: PAN, D and the rest. The rest without the PAN is a leak too.
    init(pan: String, track2End end: String) {
        name = "track 2 …\(end.suffix(4))"
        raw = [Self.packed(pan + end), Self.packed(end)]
        compact = [pan + end, end, Self.hex(Array((pan + end.replacing("D", with: "=")).utf8))]
    }

    init(cardholder: String) {
        name = "cardholder \(cardholder.prefix(2))…"
        raw = [
            Array(cardholder.utf8), Self.utf16(cardholder, bigEndian: true), Self.utf16(cardholder, bigEndian: false),
        ]
        compact = [Self.hex(Array(cardholder.utf8))]
    }

    /// A PIN block in clear, as hexadecimal digits.
    init(pinBlock: String) {
        name = "PIN block \(pinBlock.prefix(2))…\(pinBlock.suffix(4))"
        raw = [Self.packed(pinBlock)]
        compact = [pinBlock]
    }

    private static func packed(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.map { UInt8(String(decoding: [$0], as: UTF8.self), radix: 16) ?? 0 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02X", $0) }.joined() }

    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf8.flatMap { bigEndian ? [0, $0] : [$0, 0] }
    }

    // MARK: The hunt

    /// The canaries in `bytes`.
    static func hunt(_ bytes: [UInt8]) -> [String] {
        let data = Data(bytes)
        let compact = Data(
            bytes.compactMap { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A: byte
                case 0x61...0x7A: byte - 0x20
                default: nil
                }
            })
        return all.filter { canary in
            canary.raw.contains { data.range(of: Data($0)) != nil }
                || canary.compact.contains { compact.range(of: Data($0.utf8)) != nil }
        }.map(\.name)
    }

    static func hunt(_ text: String) -> [String] { hunt(Array(text.utf8)) }

    /// The virtual cards of the bench, then the cards of the captured logs; the PIN of the virtual
    /// cards is 1234.
    static let all: [Canary] = {
        let cards = [
            ("4761739001010119", "D491220100000000"), ("5413330089600119", "D491220100000000"),
            ("5413330089600044", "D141220101234091"), ("4761340000000050", "D171220112523451"),
        ]
        let blocks = [
            // ISO 9564-1 format 2: 2, four digits, 1234, filled up.
            "241234FFFFFFFFFF",
            // Format 0: 041234FFFFFFFFFF xor 0000 and the last twelve digits of the PAN before its
            // check digit.
            "041223C6FFEFEFEE",  // 173900101011
            "041207CFF769FFEE",  // 333008960011
        ]
        return cards.flatMap { [Canary(pan: $0), Canary(pan: $0, track2End: $1)] }
            + ["TEST/CARDHOLDER", "ETEC/PAYPASS", "CARD R/VISA TEST"].map { Canary(cardholder: $0) }
            + blocks.map { Canary(pinBlock: $0) }
    }()
}
