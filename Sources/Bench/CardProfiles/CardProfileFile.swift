public import JSONDocument
public import VirtualCard

/// A card profile document: a profile, its faults, and the expected result, as JSON
/// (docs/card-profile.md).
public struct CardProfileFile: Sendable, Equatable {
    /// The purpose of the card, in one line.
    public var reason: String?
    public var profile: CardProfile
    /// In the order in which they occur.
    public var faults: [CardFault]
    public var expectation: CardExpectation?

    public init(
        _ profile: CardProfile, faults: [CardFault] = [], reason: String? = nil, expectation: CardExpectation? = nil
    ) {
        self.profile = profile
        self.faults = faults
        self.reason = reason
        self.expectation = expectation
    }

    /// Reads a document. Missing values have the defaults of ``CardProfile``; unknown ones are
    /// refused.
    public init(parsing text: String) throws(DocumentError) {
        self = try Place.document(text) { place throws(DocumentError) in try Self(place) }
    }

    init(_ document: Place) throws(DocumentError) {
        let members = try document.members(["reason", "faults", "expect"] + CardProfile.keys)
        self.init(try CardProfile(members))
        try members.takeOrNull("reason", &reason) { place throws(DocumentError) in try place.line() }
        try members.take("faults", &faults) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try CardFault(place) }
        }
        try members.takeOrNull("expect", &expectation) { place throws(DocumentError) in try CardExpectation(place) }
    }

    /// The document with every key, in a stable form. A custom ``CryptogramScheme`` has no name; it
    /// is written as null, which is not accepted when read.
    public var json: String {
        var members = profile.members
        if let reason { members["reason"] = .text(reason) }
        if !faults.isEmpty { members["faults"] = .list(faults.map(\.json)) }
        if let expectation { members["expect"] = expectation.json }
        return JSON.object(sorted: members).formatted
    }
}
