/// Visa's issuer application data: `06`, key index, version, CVR; or, format 2, `1F`, version, key
/// index, CVR and issuer data.
enum VisaCoding {
    static func read(_ bytes: [UInt8]) -> IssuerApplicationData? {
        if bytes.count == 32, bytes[0] == 0x1F { return format2(bytes) }
        guard bytes.count >= 7, bytes[0] == 0x06, bytes[3] == 0x03 else { return nil }
        return IssuerApplicationData(
            "Visa, cryptogram version \(bytes[2])",
            [
                .init("Length", bytes[0..<1]), .init("Derivation key index", bytes[1..<2]),
                .init("Cryptogram version number", bytes[2..<3], [String(bytes[2])]),
                .init("Card verification results (CVR)", bytes[3..<7], VisaVerificationResults.meanings(bytes[4..<7])),
            ] + IssuerApplicationData.Field.rest("Issuer discretionary data", bytes[7...]))
    }

    /// In the CVR of format 2, only the second byte is reliably known.
    private static func format2(_ bytes: [UInt8]) -> IssuerApplicationData {
        IssuerApplicationData(
            "Visa, format 2, cryptogram version \(hexadecimal(bytes[1]))",
            [
                .init("Length", bytes[0..<1]), .init("Cryptogram version number", bytes[1..<2]),
                .init("Derivation key index", bytes[2..<3]),
                .init("Card verification results (CVR)", bytes[3..<8], ["coding not public"]),
                .init("Issuer discretionary data", bytes[8...]),
            ])
    }

    private static func hexadecimal(_ byte: UInt8) -> String { String(byte, radix: 16, uppercase: true) }
}

/// The three bytes of Visa's CVR after the length byte. UnionPay uses the same coding.
enum VisaVerificationResults {
    static func meanings(_ value: ArraySlice<UInt8>) -> [String] {
        guard value.count == 3, let first = value.first, let last = value.last else { return [] }
        return CryptogramsOfResults.meanings(first) + flags.meanings(value) + [
            "\(last >> 4) issuer script commands processed"
        ]
    }

    private static let flags = FlagList(bytes: [
        [
            nil, nil, nil, nil, "Issuer authentication performed and failed", "Offline PIN verification performed",
            "Offline PIN verification failed", "Unable to go online",
        ],
        [
            "Last online transaction not completed", "PIN try limit exceeded", "Velocity checking counters exceeded",
            "New card", "Issuer authentication failure on last online transaction",
            "Issuer authentication not performed after online authorisation",
            "Application blocked by card because PIN try limit exceeded",
            "Offline static data authentication failed on last transaction, which was declined offline",
        ],
        [
            nil, nil, nil, nil, "Issuer script processing failed on last transaction",
            "Offline dynamic data authentication failed on last transaction, which was declined offline",
            "Offline dynamic data authentication performed",
            "PIN verification command not received for a PIN-expecting card",
        ],
    ])
}
