public import Bytes
public import FormDocument
public import PaymentTerminal

/// What the customer has entered on the page.
public struct CardEntry: Sendable {
    public let card: CardDetails
    /// 3 or 4 digits. It may not be kept after the authorization.
    public let securityCode: SecretBytes

    /// The names of the form's fields.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        case number = "card-number"
        case expiry = "card-expiry"
        case code = "card-code"
        case name = "card-name"
    }

    /// Which fields are to be entered again.
    public struct Faults: Error, Sendable, Equatable {
        public let fields: [Field]
    }

    /// Whether the customer has cancelled.
    public static func isCancelled(_ form: FormFields) -> Bool { form["cancel"] != nil }

    /// Reads the posted form as people write such values: digits with spaces or hyphens between
    /// them, a date as `4/29`, `04/29`, `04/2029` or `0429`.
    ///
    /// - Parameters:
    ///   - year: The present one, with four digits.
    ///   - month: 1 to 12. The card is valid in its last month.
    public init(_ form: FormFields, year: Int, month: Int) throws(Faults) {
        var faults: [Field] = []
        let expiry = Self.expiry(form[Field.expiry.rawValue] ?? "", year: year, month: month)
        if expiry == nil { faults.append(.expiry) }
        let name = (form[Field.name.rawValue] ?? "").split(separator: " ").joined(separator: " ")
        if !(1...45).contains(name.unicodeScalars.count) || name.hasSteeringCharacters { faults.append(.name) }
        let code = Array((form[Field.code.rawValue] ?? "").utf8.filter { $0 != 0x20 })
        if !(3...4).contains(code.count) || !code.allSatisfy({ (0x30...0x39).contains($0) }) { faults.append(.code) }
        let digits = (form[Field.number.rawValue] ?? "").utf8.filter { $0 != 0x20 && $0 != 0x2D }
        // The date stands for one that is missing: only the number is tried here.
        let card = (expiry ?? ExpiryDate(yymm: "9912")).flatMap {
            try? CardDetails(pan: SecretBytes(digits), expiry: $0, cardholderName: name)
        }
        if card == nil { faults.append(.number) }
        guard let card, faults.isEmpty else {
            throw Faults(fields: Field.allCases.filter(faults.contains))
        }
        self.card = card
        securityCode = SecretBytes(code)
    }

    private static func expiry(_ text: String, year: Int, month: Int) -> ExpiryDate? {
        let text = text.filter { $0 != " " }
        var parts = text.split(omittingEmptySubsequences: false) { "/-.".contains($0) }
        if parts.count == 1, text.utf8.count == 4 { parts = [text.prefix(2), text.suffix(2)] }
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), [2, 4].contains(parts[1].utf8.count),
            let last = Int(parts[1]), let chosen = Int(parts[0]), last >= 0
        else { return nil }
        let end = last < 100 ? 2000 + last : last
        guard end > year || end == year && chosen >= month, end <= year + 20 else { return nil }
        return ExpiryDate(mmyy: (parts[0].utf8.count == 1 ? "0" : "") + parts[0] + parts[1].suffix(2))
    }
}

extension CardEntry.Faults: CustomStringConvertible {
    public var description: String {
        "to be entered again: " + fields.map(\.rawValue).joined(separator: ", ")
    }
}
