import JSONDocument

// Limits in minor units of the terminal's currency: at most the 12 digits of an amount (EMV Book 3,
// Annex A, 9F02).

private let maximumAmount = 999_999_999_999

extension Place {
    /// A limit in minor units, of at most 12 digits.
    static func amount<Number: FixedWidthInteger>(_ place: Place) throws(DocumentError) -> Number {
        // ordered: the maximum is a constant above zero
        try place.number(0...Number(clamping: maximumAmount))
    }
}

extension JSONValue {
    /// A limit in minor units; one of more than 12 digits is written as the maximum.
    static func amount(_ limit: some FixedWidthInteger) -> JSONValue {
        let written: Int = min(Int(clamping: limit), maximumAmount)
        return .number(written)
    }
}
