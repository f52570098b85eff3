/// The issuer application data of the Common Core Definitions (EMV 4.4 Book 3, C9, tables CCD 8 to
/// CCD 10).
enum CommonCoreCoding {
    static func read(_ bytes: [UInt8]) -> IssuerApplicationData? {
        guard bytes.count == 32, bytes[0] == 0x0F, bytes[16] == 0x0F, bytes[1] >> 4 == 0x0A else { return nil }
        return IssuerApplicationData(
            "Common Core Definitions, format A, cryptogram version \(bytes[1] & 0x0F)",
            [
                .init("Length", bytes[0..<1]), .init("Common core identifier", bytes[1..<2], [cipher(bytes[1] & 0x0F)]),
                .init("Derivation key index", bytes[2..<3]),
                .init("Card verification results (CVR)", bytes[3..<8], results(bytes[3..<8])),
                .init("Counters, the payment system's", bytes[8..<16]), .init("Length", bytes[16..<17]),
                .init("Issuer discretionary data", bytes[17...]),
            ])
    }

    private static func cipher(_ version: UInt8) -> String {
        switch version {
        case 5: "triple DES"
        case 6: "AES"
        default: "reserved cryptogram version"
        }
    }

    private static func results(_ value: ArraySlice<UInt8>) -> [String] {
        let start = value.startIndex
        return CryptogramsOfResults.meanings(value[start]) + flags.meanings(value)
            + [
                "PIN try counter, low digit: \(value[start + 1] >> 4)",
                "\(value[start + 3] >> 4) issuer script commands processed",
            ]
    }

    private static let flags = FlagList(bytes: [
        [
            nil, nil, nil, nil, "CDA performed", "Offline DDA performed", "Issuer authentication not performed",
            "Issuer authentication failed",
        ],
        [
            nil, nil, nil, nil, "Offline PIN verification performed",
            "Offline PIN verification performed and PIN not successfully verified",
            "PIN try limit exceeded", "Last online transaction not completed",
        ],
        [
            "Lower offline transaction count limit exceeded", "Upper offline transaction count limit exceeded",
            "Lower cumulative offline amount limit exceeded", "Upper cumulative offline amount limit exceeded",
            "Issuer-discretionary bit 1", "Issuer-discretionary bit 2", "Issuer-discretionary bit 3",
            "Issuer-discretionary bit 4",
        ],
        [
            nil, nil, nil, nil, "Issuer script processing failed",
            "Offline data authentication failed on previous transaction",
            "Go online on next transaction was set", "Unable to go online",
        ],
    ])
}
