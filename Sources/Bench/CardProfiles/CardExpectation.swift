import JSONDocument
public import TLV

/// The expected result of a sale with the card according to the books, at the terminal of
/// docs/card-profile.md.
public struct CardExpectation: Sendable, Equatable {
    public enum Verdict: String, Sendable, CaseIterable {
        case approvedOffline, approvedOnline, approvedUnableToGoOnline
        case declinedOffline, declinedOnline, declinedUnableToGoOnline
        /// No transaction was possible, or it was terminated.
        case terminated
    }

    public enum DataAuthentication: String, Sendable, CaseIterable { case none, sda, dda, cda, xda }

    /// In minor units of the transaction currency, which is the card's.
    public var amount: UInt64 = 1000
    public var verdict: Verdict
    /// The final tag `95`; nil if not specified.
    public var tvr: TerminalVerificationResults?
    /// Tag `9F34`, 3 bytes; nil if not specified.
    public var cvmResults: CVMResults?
    /// The chosen method; nil if not specified.
    public var dataAuthentication: DataAuthentication?
    /// The selected AID; nil if not specified.
    public var aid: [UInt8]?
    /// A part of the kernel's reason for a termination; nil if not specified.
    public var termination: String?
    /// Whether the host must reverse the authorization; nil if not specified.
    public var reversal: Bool?

    public init(_ verdict: Verdict) { self.verdict = verdict }
}

extension CardExpectation {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "amount", "verdict", "tvr", "cvmResults", "dataAuthentication", "aid", "termination", "reversal",
        ])
        self.init(try members.required("verdict").choice(Verdict.allCases.map { ($0.rawValue, $0) }))
        try members.take("amount", &amount) { place throws(DocumentError) in try place.number(0...999_999_999_999) }
        try members.take("tvr", &tvr) { place throws(DocumentError) in try TerminalVerificationResults(place) }
        try members.take("cvmResults", &cvmResults) { place throws(DocumentError) in
            guard let results = CVMResults(try place.bytes(3...3)) else { throw place.wrong(ProfileFault.cvmResults) }
            return results
        }
        try members.take("dataAuthentication", &dataAuthentication) { place throws(DocumentError) in
            try place.choice(DataAuthentication.allCases.map { ($0.rawValue, $0) })
        }
        try members.take("aid", &aid) { place throws(DocumentError) in try place.bytes(5...16) }
        try members.take("termination", &termination) { place throws(DocumentError) in try place.line() }
        try members.take("reversal", &reversal) { place throws(DocumentError) in try place.flag() }
    }

    var json: JSON {
        var members: [String: JSON] = ["amount": .number(amount), "verdict": .text(verdict.rawValue)]
        members["tvr"] = tvr?.json
        members["cvmResults"] = cvmResults.map { .hex($0.bytes) }
        members["dataAuthentication"] = dataAuthentication.map { .text($0.rawValue) }
        members["aid"] = aid.map { .hex($0) }
        members["termination"] = termination.map { .text($0) }
        members["reversal"] = reversal.map { .flag($0) }
        return .object(sorted: members)
    }
}
