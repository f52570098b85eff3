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

    private static let registered: [(rid: [UInt8], system: PaymentSystem)] = [
        ([0xA0, 0x00, 0x00, 0x00, 0x03], .visa),
        ([0xA0, 0x00, 0x00, 0x00, 0x98], .other("Visa USA")),
        ([0xA0, 0x00, 0x00, 0x00, 0x04], .mastercard),
        ([0xA0, 0x00, 0x00, 0x00, 0x05], .mastercard),
        ([0xA0, 0x00, 0x00, 0x00, 0x25], .americanExpress),
        ([0xA0, 0x00, 0x00, 0x00, 0x65], .jcb),
        ([0xA0, 0x00, 0x00, 0x01, 0x52], .discover),
        ([0xA0, 0x00, 0x00, 0x03, 0x24], .discover),
        ([0xA0, 0x00, 0x00, 0x03, 0x33], .unionPay),
        ([0xA0, 0x00, 0x00, 0x02, 0x77], .interac),
        ([0xA0, 0x00, 0x00, 0x00, 0x29], .other("LINK")),
        ([0xA0, 0x00, 0x00, 0x00, 0x42], .other("Cartes Bancaires")),
        ([0xA0, 0x00, 0x00, 0x01, 0x21], .other("Dankort")),
        ([0xA0, 0x00, 0x00, 0x01, 0x41], .other("Bancomat, PagoBancomat")),
        ([0xA0, 0x00, 0x00, 0x02, 0x28], .other("SPAN")),
        ([0xA0, 0x00, 0x00, 0x03, 0x59], .other("girocard")),
        ([0xA0, 0x00, 0x00, 0x03, 0x84], .other("eftpos Australia")),
        ([0xA0, 0x00, 0x00, 0x05, 0x24], .other("RuPay")),
        ([0xA0, 0x00, 0x00, 0x06, 0x58], .other("Mir")),
        ([0xA0, 0x00, 0x00, 0x06, 0x20], .other("Debit Network Alliance")),
        ([0xA0, 0x00, 0x00, 0x06, 0x72], .other("Troy")),
    ]
}
