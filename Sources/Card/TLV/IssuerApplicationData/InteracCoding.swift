/// Interac's issuer application data: length, key index, version; the coding of the other bytes is
/// not public.
enum InteracCoding {
    static func read(_ bytes: [UInt8]) -> IssuerApplicationData? {
        guard bytes.count >= 3, Int(bytes[0]) == bytes.count - 1 else { return nil }
        return IssuerApplicationData(
            "Interac, cryptogram version \(bytes[2])",
            [
                .init("Length", bytes[0..<1]), .init("Derivation key index", bytes[1..<2]),
                .init("Cryptogram version number", bytes[2..<3], [String(bytes[2])]),
            ] + IssuerApplicationData.Field.rest("Card verification results and issuer data, coding not public", bytes[3...]))
    }
}
