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
    static func rest(_ name: String, _ tail: some Collection<UInt8>) -> [Self] { tail.isEmpty ? [] : [Self(name, tail)] }
}
