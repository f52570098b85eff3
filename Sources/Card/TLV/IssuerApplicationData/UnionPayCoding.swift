/// UnionPay's issuer application data: `07`, key index, version, CVR as for Visa, algorithm, and
/// data of the issuer.
enum UnionPayCoding {
    static func read(_ bytes: [UInt8]) -> IssuerApplicationData? {
        guard bytes.count >= 8, bytes[0] == 0x07, bytes[3] == 0x03 else { return nil }
        return IssuerApplicationData(
            "UnionPay, cryptogram version \(bytes[2])",
            [
                .init("Length", bytes[0..<1]), .init("Derivation key index", bytes[1..<2]),
                .init("Cryptogram version number", bytes[2..<3], [String(bytes[2])]),
                .init("Card verification results (CVR)", bytes[3..<7], VisaVerificationResults.meanings(bytes[4..<7])),
                .init("Algorithm", bytes[7..<8], [algorithm(bytes[7])]),
            ] + IssuerApplicationData.Field.rest("Issuer discretionary data", bytes[8...]))
    }

    private static func algorithm(_ byte: UInt8) -> String {
        switch byte {
        case 0x01: "triple DES"
        case 0x04: "SM4"
        default: "not known"
        }
    }
}
