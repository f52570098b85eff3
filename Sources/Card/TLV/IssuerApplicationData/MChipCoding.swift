/// Mastercard's issuer application data for M/Chip: key index, version, CVR (6), data
/// authentication code or dynamic number (2), counters (8 or 16), and with some cards the last
/// online ATC (2).
enum MChipCoding {
    static func read(_ bytes: [UInt8]) -> IssuerApplicationData? {
        guard [18, 20, 26, 28].contains(bytes.count), bytes[1] & 0xF8 == 0x10 else { return nil }
        let counters = bytes.count < 26 ? 8 : 16
        return IssuerApplicationData(
            "Mastercard M/Chip, cryptogram version \(String(bytes[1], radix: 16))",
            [
                .init("Derivation key index", bytes[0..<1]),
                .init("Cryptogram version number", bytes[1..<2], version(bytes[1])),
                .init("Card verification results (CVR)", bytes[2..<8], results(bytes[2..<8])),
                .init("Data authentication code or ICC dynamic number", bytes[8..<10]),
                .init("Counters, plain or enciphered", bytes[10..<10 + counters]),
            ] + IssuerApplicationData.Field.rest("Last online ATC", bytes[(10 + counters)...]))
    }

    private static func version(_ number: UInt8) -> [String] {
        [
            number & 0x06 == 0x00
                ? "Mastercard's session key"
                : number & 0x06 == 0x04 ? "EMV common session key" : "reserved session key",
            number & 0x01 == 0 ? "counters not in the cryptogram" : "counters in the cryptogram",
        ]
    }

    private static func results(_ value: ArraySlice<UInt8>) -> [String] {
        let third = value[value.startIndex + 2]
        return CryptogramsOfResults.meanings(value[value.startIndex]) + flags.meanings(value)
            + ["Script counter, low digit: \(third >> 4)", "PIN try counter, low digit: \(third & 0x0F)"]
    }

    private static let flags = FlagList(bytes: [
        [
            nil, nil, nil, nil, "Date check failed", "Offline PIN verification performed",
            "Offline enciphered PIN verification performed",
            "Offline PIN verification successful",
        ],
        [
            "DDA returned", "CDA returned in first GENERATE AC", "CDA returned in second GENERATE AC",
            "Issuer authentication performed", "CIAC default skipped on CAT 3", "Offline change PIN result successful",
            "Issuer discretionary bit 1", "Issuer discretionary bit 2",
        ],
        [],
        [
            "Last online transaction not completed", "Unable to go online", "Offline PIN verification not performed",
            "Offline PIN verification failed", "PIN try limit exceeded", "International transaction",
            "Domestic transaction", "Terminal erroneously considers offline PIN OK",
        ],
        [
            "Lower consecutive offline (counter 1) limit exceeded",
            "Upper consecutive offline (counter 1) limit exceeded",
            "Lower cumulative offline (accumulator 1) limit exceeded",
            "Upper cumulative offline (accumulator 1) limit exceeded", "Go online on next transaction was set",
            "Issuer authentication failed", "Script received", "Script failed",
        ],
        [
            "Lower counter 2 limit exceeded", "Upper counter 2 limit exceeded", "Lower accumulator 2 limit exceeded",
            "Upper accumulator 2 limit exceeded", "Maximum transaction amount exceeded",
            "Number of days offline limit exceeded", "Match found in additional check table",
            "No match found in additional check table",
        ],
    ])
}
