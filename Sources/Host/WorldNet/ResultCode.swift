import PaymentTerminal

/// What the gateway makes of an issuer's response code (ISO 8583:1987, field 39), the same in both
/// dialects.
enum ResultCode: String {
    case approved = "A"
    case declined = "D"
    /// Accepted for later, result unknown.
    case accepted = "E"
    case partlyApproved = "P"
    case referred = "R"
    /// Declined, and the card is to be kept.
    case keepCard = "C"

    init(responseCode: String) {
        switch responseCode {
        case "00", "08", "11", "Y1", "Y3": self = .approved
        case "10": self = .partlyApproved
        case "01", "02": self = .referred
        case "04", "07", "33", "34", "35", "36", "37", "38", "41", "43", "67": self = .keepCard
        default: self = .declined
        }
    }

    /// The response code of a gateway that does not pass on the issuer's own.
    var responseCode: String {
        switch self {
        case .approved: "00"
        case .partlyApproved: "10"
        case .referred: "02"
        case .keepCard: "04"
        case .declined, .accepted: "05"
        }
    }

    var approves: Bool { self == .approved || self == .partlyApproved }

    /// The amount that an answer with this code is about.
    ///
    /// An answer without an amount is about what was requested only if it approves completely: one
    /// that approves a part must say which.
    ///
    /// - Parameters:
    ///   - authorized: What the answer says; nil only if it says nothing.
    ///   - requested: Nil if the caller does not know.
    /// - Throws: ``PaymentTerminal/HostError/Failure/answerNotGenuine`` for an approval of more
    ///   than was requested, or of nothing of it.
    func amount(authorized: Money?, requested: Money?, in currency: Currency) throws(HostError) -> Money {
        guard approves else { return authorized ?? requested ?? Money(minorUnits: 0, currency: currency) }
        guard let amount = authorized ?? (self == .approved ? requested : nil) else { throw .answerNotUnderstood }
        if let requested {
            guard amount.minorUnits <= requested.minorUnits, amount.minorUnits > 0 || requested.minorUnits == 0 else {
                throw .answerNotUnderstood
            }
        }
        return amount
    }
}
