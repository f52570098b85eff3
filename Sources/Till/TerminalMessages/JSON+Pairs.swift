import CardCapture
package import JSONDocument
import PaymentTerminal

extension JSON {
    /// A member that is left out without a value.
    typealias Pair = (String, JSON?)

    static func object(_ pairs: [Pair]) -> JSON {
        .object(pairs.compactMap { name, value in value.map { Member(name, $0) } })
    }

    static func text(_ text: String?) -> JSON? { text.map { .text($0) } }

    /// A list of names in alphabetical order; left out if there is none.
    static func names<Name: RawRepresentable<String>>(_ names: some Collection<Name>) -> JSON? {
        names.isEmpty ? nil : .list(names.map(\.rawValue).sorted().map { .text($0) })
    }
}

extension Timestamp {
    /// With the offset from UTC (RFC 3339).
    package var json: JSON {
        let minutes = (utcOffset / 60).magnitude
        func two(_ number: UInt) -> String { (number < 10 ? "0" : "") + String(number) }
        let offset = utcOffset == 0 ? "Z" : (utcOffset < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60)
        return .text("\(date)T\(time)\(offset)")
    }
}

extension CapturedCard.EntryMode {
    /// The name that messages have for it.
    var name: String {
        switch self {
        case .keyed: "keyed"
        case .chip: "chip"
        case .contactlessChip: "contactlessChip"
        case .stripeFallback: "stripeFallback"
        case .magneticStripe: "magneticStripe"
        case .contactlessStripe: "contactlessStripe"
        }
    }
}

extension CardBrand {
    /// The name that messages have for it.
    var name: String {
        switch self {
        case .visa: "visa"
        case .mastercard: "mastercard"
        case .maestro: "maestro"
        case .americanExpress: "americanExpress"
        case .discover: "discover"
        case .dinersClub: "dinersClub"
        case .jcb: "jcb"
        case .unionPay: "unionPay"
        }
    }
}

extension CardSummary {
    /// Beside other members of an object, without the cardholder's name.
    var pairs: [JSON.Pair] {
        [("card", .text(maskedPAN)), ("expiry", .text(expiry?.mmyy)), ("brand", .text(brand?.name))]
    }
}

extension Money {
    /// Beside other members of an object.
    var pairs: [JSON.Pair] { [("amount", .text(decimal)), ("currency", .text(currency.code))] }
}

extension Signature {
    var json: JSON {
        .list(strokes.map { stroke in .list(stroke.map { .list([.number($0.x), .number($0.y)]) }) })
    }
}

extension CustomField {
    var json: JSON { .object([("name", .text(name)), ("value", .text(value))]) }
}
