import MagneticStripe

/// A masked track of a payment card as a MagneSafe reader sends it: hidden digits are zeros, or
/// digits that make the check digit correct.
///
/// A zero that hides a digit cannot be distinguished from a real zero. So only the data that the
/// reader does not hide by default (the first and the last four digits of the number, name, expiry)
/// are kept. Everything else becomes `*`, so that the number cannot be mistaken for the card's.
enum MaskedTrack {
    private static let shownDigits = 4

    static func text(_ characters: ArraySlice<UInt8>, _ track: TrackNumber) -> String {
        let separator: UInt8 = track == .one ? UInt8(ascii: "^") : UInt8(ascii: "=")
        let end = characters.firstIndex(of: UInt8(ascii: "?")) ?? characters.endIndex
        var fields = characters[..<end].dropFirst().split(separator: separator, omittingEmptySubsequences: false).map(
            Array.init)
        guard !fields.isEmpty, let sentinel = characters.first else { return "" }
        let prefix = track == .one ? 1 : 0
        fields[0] = fields[0].enumerated().map { index, character in
            index < prefix + shownDigits || index >= fields[0].count - shownDigits ? character : UInt8(ascii: "*")
        }
        // Service code and discretionary data follow the expiry date, YYMM.
        let last = track == .one ? 2 : 1
        if fields.indices.contains(last) {
            fields[last] = fields[last].enumerated().map { $0.offset < 4 ? $0.element : UInt8(ascii: "*") }
        }
        let text = [sentinel] + fields.joined(separator: [separator]) + [UInt8(ascii: "?")]
        return String(decoding: text.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "*") }, as: UTF8.self)
    }
}
