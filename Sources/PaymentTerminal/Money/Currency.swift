/// A currency by its ISO 4217 codes.
public struct Currency: Sendable, Hashable {
    /// Three capital letters.
    public let code: String
    /// The numeric code, 1 to 999; tag `5F2A` in format `n`.
    public let number: UInt16
    /// The number of decimals of an amount: 2 if the unit has a hundred minor units; tag `5F36`.
    public let exponent: UInt8

    private init(_ code: String, _ number: UInt16, _ exponent: UInt8 = 2) {
        self.code = code
        self.number = number
        self.exponent = exponent
    }

    /// The currency with the alphabetic `code`, in capitals; nil if it is not in ``all``.
    public init?(code: some StringProtocol) {
        guard let currency = Self.all.first(where: { $0.code == code }) else { return nil }
        self = currency
    }

    /// The currency with the numeric code `number`; nil if it is not in ``all``.
    public init?(number: UInt16) {
        guard let currency = Self.all.first(where: { $0.number == number }) else { return nil }
        self = currency
    }

    /// EUR, 978, two decimals.
    public static let euro = Currency("EUR", 978)
    /// GBP, 826, two decimals.
    public static let poundSterling = Currency("GBP", 826)
    /// USD, 840, two decimals.
    public static let usDollar = Currency("USD", 840)
    /// JPY, 392, no decimals.
    public static let yen = Currency("JPY", 392, 0)

    /// The currencies known here (ISO 4217:2015, list one).
    public static let all: [Currency] = [
        euro, poundSterling, usDollar, yen,
        Currency("AED", 784), Currency("AUD", 36), Currency("BGN", 975), Currency("BHD", 48, 3), Currency("BRL", 986),
        Currency("CAD", 124), Currency("CHF", 756), Currency("CLP", 152, 0), Currency("CNY", 156), Currency("CZK", 203),
        Currency("DKK", 208), Currency("HKD", 344), Currency("HUF", 348), Currency("IDR", 360), Currency("ILS", 376),
        Currency("INR", 356), Currency("ISK", 352, 0), Currency("JOD", 400, 3), Currency("KRW", 410, 0), Currency("KWD", 414, 3),
        Currency("MXN", 484), Currency("MYR", 458), Currency("NOK", 578), Currency("NZD", 554), Currency("OMR", 512, 3),
        Currency("PHP", 608), Currency("PLN", 985), Currency("RON", 946), Currency("RSD", 941), Currency("SAR", 682),
        Currency("SEK", 752), Currency("SGD", 702), Currency("THB", 764), Currency("TND", 788, 3), Currency("TRY", 949),
        Currency("TWD", 901), Currency("UAH", 980), Currency("VND", 704, 0), Currency("ZAR", 710),
    ]
}

extension Currency: Codable {
    /// As its alphabetic code.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let currency = Currency(code: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: MoneyError.unknownCurrency.description)
        }
        self = currency
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(code)
    }
}

extension Currency: CustomStringConvertible {
    public var description: String { code }
}
