internal import TLV

/// A currency by its ISO 4217 codes.
public struct Currency: Sendable, Hashable {
    /// Three capital letters.
    public let code: String
    /// The numeric code, 1 to 999; tag `5F2A` in format `n`.
    public let number: UInt16
    /// The number of decimals of an amount: 2 if the unit has a hundred minor units; tag `5F36`.
    public let exponent: UInt8

    private init(_ currency: CurrencyCode) {
        code = currency.code
        number = currency.number
        // fits: at most 4
        exponent = UInt8(clamping: currency.exponent)
    }

    private init(_ code: String, _ number: UInt16, _ exponent: UInt8 = 2) {
        self.code = code
        self.number = number
        self.exponent = exponent
    }

    /// The currency with the alphabetic `code`, in capitals, also a withdrawn one, as records have
    /// it; nil if ISO 4217 does not list it.
    public init?(code: some StringProtocol) {
        guard let currency = Self.byCode[String(code)] else { return nil }
        self = currency
    }

    /// The currency of ``all`` with the numeric code `number`, else a withdrawn one; nil if ISO
    /// 4217 does not list it.
    public init?(number: UInt16) {
        guard let currency = CurrencyCode(number: UInt64(number)), currency.isOfPayments else { return nil }
        self.init(currency)
    }

    /// EUR, 978, two decimals.
    public static let euro = Currency("EUR", 978)
    /// GBP, 826, two decimals.
    public static let poundSterling = Currency("GBP", 826)
    /// USD, 840, two decimals.
    public static let usDollar = Currency("USD", 840)
    /// JPY, 392, no decimals.
    public static let yen = Currency("JPY", 392, 0)

    /// The currencies of ISO 4217:2015, list one, as published on 2026-01-01, by numeric code;
    /// without metals, units of account and codes for tests, which have no minor units.
    public static let all: [Currency] = CurrencyCode.current.filter(\.isOfPayments).map { Currency($0) }

    private static let byCode = Dictionary((all + CurrencyCode.withdrawn.map { Currency($0) }).map { ($0.code, $0) }) {
        first, _ in first
    }
}

extension Currency: Codable {
    /// As its alphabetic code.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let currency = Currency(code: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: MoneyError.unknownCurrency.description)
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
