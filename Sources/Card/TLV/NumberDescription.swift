private import Bytes

/// What numbers and codes say: amounts, currencies, countries, counters, types.
enum NumberDescription {
    /// Nil for other tags.
    static func lines(_ tag: Tag, _ value: [UInt8], _ context: ValueContext) -> [String]? {
        switch tag {
        case .amountAuthorised, .amountOther:
            BCD.number(value).map { [amount($0, context.currency)] } ?? [ValueFault.decimal.rawValue]
        case .amountAuthorisedBinary, .amountOtherBinary, .terminalFloorLimit:
            value.count == 4 ? [amount(integer(value), context.currency)] : []
        case .transactionCurrencyCode, .applicationCurrencyCode, 0x9F3C: [currency(value)]
        // Visa's and PBOC's: other systems have lists in it.
        case 0x9F51 where value.count == 2: [currency(value)]
        case .applicationReferenceCurrency:
            stride(from: 0, to: value.count - value.count % 2, by: 2).map { currency(Array(value[$0..<$0 + 2])) }
        case .issuerCountryCode, .terminalCountryCode: [country(value)]
        case .issuerCountryCodeAlpha2:
            CountryCode(letters: ValueDescription.printable(value)).map { ["\($0.code), \($0.name)"] }
        case .applicationTransactionCounter, .lastOnlineATCRegister: value.count == 2 ? ["\(integer(value))"] : []
        case .lowerConsecutiveOfflineLimit, .upperConsecutiveOfflineLimit:
            value.count == 1 ? ["\(value[0]) transactions offline in a row"] : []
        case .pinTryCounter: value.count == 1 ? [value[0] == 1 ? "1 PIN try left" : "\(value[0]) PIN tries left"] : []
        case .issuerPublicKeyExponent, .iccPublicKeyExponent, .iccPINEnciphermentPublicKeyExponent:
            (1...3).contains(value.count) ? ["\(integer(value))"] : []
        case .logEntry: value.count == 2 ? ["log in file \(value[0]), at most \(value[1]) records"] : []
        case .transactionType: value.count == 1 ? TransactionCodes.transactionType(value[0]).map { [$0] } : nil
        case .terminalType:
            value.count == 1 ? [TransactionCodes.terminalType(value[0]) ?? ValueFault.terminalType.rawValue] : []
        case .accountType: value.count == 1 ? TransactionCodes.accountType(value[0]).map { [$0] } : nil
        case .transactionCurrencyExponent, .applicationCurrencyExponent, 0x9F3D:
            value.count == 1 ? [decimals(value[0])] : []
        case 0x9F43: value.map(decimals)
        case .amountReferenceCurrency:
            value.count == 4 ? ["\(integer(value)) minor units of the reference currency"] : []
        case .transactionSequenceCounter: BCD.number(value).map { ["\($0)"] } ?? [ValueFault.decimal.rawValue]
        case .shortFileIdentifier: value.count == 1 ? [file(value[0])] : []
        case .serviceCode: TransactionCodes.serviceCode(value)
        case .authorisationResponseCode: responseCode(value)
        default: nil
        }
    }

    /// The line of an amount in format n of the application's currency, or of the transaction's.
    static func amount(_ value: [UInt8], _ context: ValueContext) -> [String] {
        BCD.number(value).map { [amount($0, context.applicationCurrency ?? context.currency)] } ?? [
            ValueFault.decimal.rawValue
        ]
    }

    static func amount(_ minorUnits: UInt64, _ currency: UInt64?) -> String {
        currency.flatMap { CurrencyCode(number: $0) }?.amount(minorUnits) ?? "\(minorUnits) minor units"
    }

    /// The implied position of the decimal point from the right (EMV 4.4 Book 3, annex A1): a digit
    /// in format n.
    private static func decimals(_ exponent: UInt8) -> String {
        switch exponent {
        case 0: "amounts have no decimals"
        case 1: "amounts have 1 decimal"
        case 2...9: "amounts have \(exponent) decimals"
        default: ValueFault.digit.rawValue
        }
    }

    /// Tag `88` (EMV 4.4 Book 3, 5.3.2.2, table 1): 1 to 10 are EMV's, 11 to 20 the payment
    /// system's, 21 to 30 the issuer's.
    private static func file(_ identifier: UInt8) -> String {
        switch identifier {
        case 1...10: "file \(identifier)"
        case 11...20: "file \(identifier), of the payment system"
        case 21...30: "file \(identifier), of the issuer"
        default: ValueFault.fileIdentifier.rawValue
        }
    }

    private static func currency(_ value: [UInt8]) -> String {
        BCD.number(value).flatMap { CurrencyCode(number: $0) }.map { "\($0.code), \($0.name)" }
            ?? ValueFault.currency.rawValue
    }

    private static func country(_ value: [UInt8]) -> String {
        BCD.number(value).flatMap { CountryCode(number: $0) }.map { "\($0.code), \($0.name)" }
            ?? ValueFault.country.rawValue
    }

    private static func responseCode(_ value: [UInt8]) -> [String] {
        let code = ValueDescription.printable(value)
        return ["\"\(code)\"" + (TransactionCodes.responseCode(code).map { ", \($0)" } ?? "")]
    }

    private static func integer(_ value: [UInt8]) -> UInt64 { value.reduce(0) { $0 << 8 | UInt64($1) } }
}
