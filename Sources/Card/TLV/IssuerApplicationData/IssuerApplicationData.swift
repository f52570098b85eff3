/// Issuer application data, tag `9F10`, parsed into fields.
///
/// EMV leaves the coding to the payment systems, except for the Common Core Definitions (EMV 4.4
/// Book 3, C9). Their books are not public; the layouts are those that card test tools publish
/// (openemv/emv-utils, `emv_fields.h`; pyemv). The published test cards of `Vectors/traces` confirm
/// them.
public struct IssuerApplicationData: Equatable, Sendable {
    /// A run of bytes with one meaning.
    public struct Field: Equatable, Sendable {
        public let name: String
        public let bytes: [UInt8]
        /// The meanings of the bytes; may be empty.
        public let meanings: [String]
    }

    /// The name of the coding: "Visa, cryptogram version 10".
    public let format: String
    public let fields: [Field]

    /// Parses `bytes` in the coding of the payment system with `rid`, the first 5 bytes of the AID;
    /// without `rid`, only in codings with an unambiguous form. Nil if the coding is unknown.
    public init?(_ bytes: [UInt8], rid: [UInt8]? = nil) {
        let system = rid.map { PaymentSystem(rid: $0) }
        let coding =
            CommonCoreCoding.read(bytes)
            ?? {
                switch system {
                case .some(.visa): VisaCoding.read(bytes)
                case .some(.mastercard): MChipCoding.read(bytes)
                case .some(.interac): InteracCoding.read(bytes)
                case .some(.unionPay): UnionPayCoding.read(bytes)
                case .some: nil
                case nil: UnionPayCoding.read(bytes) ?? VisaCoding.read(bytes) ?? MChipCoding.read(bytes)
                }
            }()
        guard let coding else { return nil }
        self = coding
    }

    init(_ format: String, _ fields: [Field]) {
        self.format = format
        self.fields = fields
    }

    /// Format and fields as lines; the meanings of a field are indented.
    public var lines: [String] {
        [format]
            + fields.flatMap { field in
                ["\(field.name): \(field.bytes.map { hex($0) }.joined())"] + field.meanings.map { "  " + $0 }
            }
    }

    private func hex(_ byte: UInt8) -> String { (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
}

extension IssuerApplicationData.Field {
    init(_ name: String, _ bytes: some Collection<UInt8>, _ meanings: [String] = []) {
        self.init(name: name, bytes: Array(bytes), meanings: meanings)
    }

    /// A list with one field for `tail`; empty if `tail` is empty.
    static func rest(_ name: String, _ tail: some Collection<UInt8>) -> [Self] {
        tail.isEmpty ? [] : [Self(name, tail)]
    }
}

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
            ]
                + IssuerApplicationData.Field.rest(
                    "Card verification results and issuer data, coding not public", bytes[3...]))
    }
}

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
