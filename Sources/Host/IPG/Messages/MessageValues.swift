internal import Bytes
public import FormDocument
public import JSONDocument
internal import PaymentTerminal
public import XMLDocument

/// The values of a received message by their names, whose case and underscores vary:
/// `IPG_Trnref`, `IPGTrnref`, `trnref`.
struct MessageValues {
    private let values: [String: String]

    /// - Throws: ``IPGMessageError/doubled`` if two names are one after all.
    init(_ pairs: [(name: String, value: String)]) throws(IPGMessageError) {
        var values: [String: String] = [:]
        for pair in pairs {
            guard values.updateValue(pair.value, forKey: Self.key(pair.name)) == nil else { throw .doubled }
        }
        self.values = values
    }

    private static func key(_ name: String) -> String { name.lowercased().filter { $0 != "_" && $0 != " " } }

    /// The value of the first of the names that is there and not empty.
    subscript(_ names: String...) -> String? {
        names.lazy.compactMap { values[Self.key($0)] }.first { !$0.isEmpty }
    }

    func required(_ names: String...) throws(IPGMessageError) -> String {
        for name in names {
            if let value = self[name] { return value }
        }
        throw .missing(names.first ?? "")
    }

    func merchantID() throws(IPGMessageError) -> MerchantID {
        let text = try required("MID")
        guard text.utf8.count == 15, let merchant = MerchantID(text) else { throw .invalid("MID") }
        return merchant
    }

    func orderID() throws(IPGMessageError) -> IPGOrderID {
        guard let order = IPGOrderID(try required("OrderID")) else { throw .invalid("OrderID") }
        return order
    }

    /// `23.45` with `978`.
    func amount() throws(IPGMessageError) -> Money {
        try Self.amount(try required("Amount"), currency: try required("Currency"))
    }

    static func amount(_ amount: String, currency: String) throws(IPGMessageError) -> Money {
        guard currency.utf8.count == 3, let number = UInt16(currency), let currency = Currency(number: number) else {
            throw .invalid("Currency")
        }
        guard let money = try? Money(parsing: amount, in: currency) else { throw .invalid("Amount") }
        return money
    }

    func reference(_ names: String...) throws(IPGMessageError) -> TransactionReference? {
        for name in names {
            guard let text = self[name] else { continue }
            guard let reference = TransactionReference(text) else { throw .invalid(name) }
            return reference
        }
        return nil
    }
}

/// Why a message of the gateway is not read. No case repeats it.
public enum IPGMessageError: Error, Equatable, Sendable {
    case form(FormError)
    case json(JSONError)
    case xml(XMLError)
    case signature(IPGSignatureError)
    /// Another message than the ones that are expected here.
    case unknownMessage
    /// A field is there twice, or under two spellings of its name.
    case doubled
    /// The field of this name is not there.
    case missing(String)
    case invalid(String)
    /// The field of this name does not stand where the gateway puts it, or should not be empty: the
    /// signatures of the older generations do not cover names.
    case misplaced(String)
    /// The message is for another merchant.
    case otherMerchant
}

extension IPGMessageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .form(let error): "\(error)"
        case .json(let error): "\(error)"
        case .xml(let error): "\(error)"
        case .signature(let error): "\(error)"
        case .unknownMessage: "the message is none that is expected here"
        case .doubled: "a field is there twice"
        case .missing(let name): "the field \(name) is missing"
        case .invalid(let name): "the field \(name) is invalid"
        case .misplaced(let name): "the field \(name) stands in another place than the gateway's, or is empty"
        case .otherMerchant: "the message is for another merchant: check the MID"
        }
    }
}
