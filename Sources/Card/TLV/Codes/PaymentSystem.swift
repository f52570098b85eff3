/// The payment system of an AID, by its first five bytes, the RID (ISO/IEC 7816-5; the payment
/// systems' public lists of AIDs).
public enum PaymentSystem: Equatable, Sendable {
    case visa, mastercard, americanExpress, jcb, discover, diners, unionPay, interac
    case other(String)
    case unknown

    /// - Parameter rid: Five bytes; more bytes, such as a whole AID, are allowed.
    public init(rid: some Collection<UInt8>) {
        let name = Array(rid.prefix(5))
        self = Self.registered.first { $0.rid == name }?.system ?? .unknown
    }

    /// Nil for ``unknown``.
    public var name: String? {
        switch self {
        case .visa: "Visa"
        case .mastercard: "Mastercard"
        case .americanExpress: "American Express"
        case .jcb: "JCB"
        case .discover: "Discover"
        case .diners: "Diners Club"
        case .unionPay: "UnionPay"
        case .interac: "Interac"
        case .other(let name): name
        case .unknown: nil
        }
    }

    /// The number of the kernel for contactless applications of the system, if it has one (EMV
    /// Contactless Book B, 3.3.2.5, table 3-6).
    package var contactlessKernel: Int? { Self.registered.first { $0.system == self }?.kernel }

    /// The number of the kernel for a contactless application whose directory entry names none (EMV
    /// Contactless Book B, 3.3.2.5, table 3-6); nil for any.
    ///
    /// - Parameter application: Its AID, 5 to 16 bytes.
    package static func contactlessKernel(ofApplication application: some Collection<UInt8>) -> Int? {
        let rid = Array(application.prefix(5))
        return registered.first { $0.rid == rid }?.kernel
    }

    private static let registered: [(rid: [UInt8], system: PaymentSystem, kernel: Int?)] = [
        ([0xA0, 0x00, 0x00, 0x00, 0x03], .visa, 3),
        ([0xA0, 0x00, 0x00, 0x00, 0x98], .other("Visa USA"), nil),
        ([0xA0, 0x00, 0x00, 0x00, 0x04], .mastercard, 2),
        ([0xA0, 0x00, 0x00, 0x00, 0x05], .mastercard, nil),
        ([0xA0, 0x00, 0x00, 0x00, 0x25], .americanExpress, 4),
        ([0xA0, 0x00, 0x00, 0x00, 0x65], .jcb, 5),
        ([0xA0, 0x00, 0x00, 0x01, 0x52], .discover, 6),
        ([0xA0, 0x00, 0x00, 0x03, 0x24], .discover, 6),
        ([0xA0, 0x00, 0x00, 0x03, 0x33], .unionPay, 7),
        ([0xA0, 0x00, 0x00, 0x02, 0x77], .interac, nil),
        ([0xA0, 0x00, 0x00, 0x00, 0x29], .other("LINK"), nil),
        ([0xA0, 0x00, 0x00, 0x00, 0x42], .other("Cartes Bancaires"), nil),
        ([0xA0, 0x00, 0x00, 0x01, 0x21], .other("Dankort"), nil),
        ([0xA0, 0x00, 0x00, 0x01, 0x41], .other("Bancomat, PagoBancomat"), nil),
        ([0xA0, 0x00, 0x00, 0x02, 0x28], .other("SPAN"), nil),
        ([0xA0, 0x00, 0x00, 0x03, 0x59], .other("girocard"), nil),
        ([0xA0, 0x00, 0x00, 0x03, 0x84], .other("eftpos Australia"), nil),
        ([0xA0, 0x00, 0x00, 0x05, 0x24], .other("RuPay"), nil),
        ([0xA0, 0x00, 0x00, 0x06, 0x58], .other("Mir"), nil),
        ([0xA0, 0x00, 0x00, 0x06, 0x20], .other("Debit Network Alliance"), nil),
        ([0xA0, 0x00, 0x00, 0x06, 0x72], .other("Troy"), nil),
    ]
}
