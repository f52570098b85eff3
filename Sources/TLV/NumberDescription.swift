private import Bytes

/// What numbers and codes say: amounts, currencies, countries, counters, types.
enum NumberDescription {
    /// Nil for other tags.
    static func lines(_ tag: Tag, _ value: [UInt8], _ context: ValueContext) -> [String]? {
        switch tag {
        case .amountAuthorised, .amountOther:
            BCD.number(value).map { [amount($0, context.currency)] } ?? ["not decimal"]
        case .amountAuthorisedBinary, .amountOtherBinary, .terminalFloorLimit:
            value.count == 4 ? [amount(integer(value), context.currency)] : []
        case .transactionCurrencyCode, .applicationCurrencyCode, 0x9F3C, 0x9F51: [currency(value)]
        case .applicationReferenceCurrency:
            stride(from: 0, to: value.count - value.count % 2, by: 2).map { currency(Array(value[$0..<$0 + 2])) }
        case .issuerCountryCode, .terminalCountryCode: [country(value)]
        case .issuerCountryCodeAlpha2: CountryCode(letters: ValueDescription.printable(value)).map { ["\($0.code), \($0.name)"] }
        case .applicationTransactionCounter, .lastOnlineATCRegister: value.count == 2 ? ["\(integer(value))"] : []
        case .lowerConsecutiveOfflineLimit, .upperConsecutiveOfflineLimit:
            value.count == 1 ? ["\(value[0]) transactions offline in a row"] : []
        case .pinTryCounter: value.count == 1 ? [value[0] == 1 ? "1 PIN try left" : "\(value[0]) PIN tries left"] : []
        case .issuerPublicKeyExponent, .iccPublicKeyExponent, .iccPINEnciphermentPublicKeyExponent:
            (1...3).contains(value.count) ? ["\(integer(value))"] : []
        case .logEntry: value.count == 2 ? ["log in file \(value[0]), at most \(value[1]) records"] : []
        case .transactionType: value.count == 1 ? TransactionCodes.transactionType(value[0]).map { [$0] } : nil
        case .terminalType: value.count == 1 ? [TransactionCodes.terminalType(value[0]) ?? "not a terminal type"] : []
        case .accountType: value.count == 1 ? TransactionCodes.accountType(value[0]).map { [$0] } : nil
        case .serviceCode: TransactionCodes.serviceCode(value)
        case .authorisationResponseCode: responseCode(value)
        default: nil
        }
    }

    static func amount(_ minorUnits: UInt64, _ currency: UInt64?) -> String {
        currency.flatMap { CurrencyCode(number: $0) }?.amount(minorUnits) ?? "\(minorUnits) minor units"
    }

    private static func currency(_ value: [UInt8]) -> String {
        BCD.number(value).flatMap { CurrencyCode(number: $0) }.map { "\($0.code), \($0.name)" } ?? "not a currency of ISO 4217"
    }

    private static func country(_ value: [UInt8]) -> String {
        BCD.number(value).flatMap { CountryCode(number: $0) }.map { "\($0.code), \($0.name)" } ?? "not a country of ISO 3166"
    }

    private static func responseCode(_ value: [UInt8]) -> [String] {
        let code = ValueDescription.printable(value)
        return ["\"\(code)\"" + (TransactionCodes.responseCode(code).map { ", \($0)" } ?? "")]
    }

    private static func integer(_ value: [UInt8]) -> UInt64 { value.reduce(0) { $0 << 8 | UInt64($1) } }
}
