public import JSONDocument
public import TLV
internal import VirtualCard

/// Test cases for a terminal and its cards, as one JSON document (docs/test-plans.md).
public struct TestPlan: Sendable, Equatable {
    public let title: String
    /// In the order of execution; their names are unique.
    public let cases: [TestCase]

    /// More than a type approval has.
    static let maximumCases = 10_000

    /// Reads a plan.
    ///
    /// - Parameter readCard: Returns the text of a card profile document, by its path in the plan.
    /// - Throws: The error with its place. Unknown values are refused.
    public init(
        parsing text: String, readCard: (String) throws -> String
    ) throws(DocumentError) {
        self = try Place.document(text) { place throws(DocumentError) in try Self(place, readCard) }
    }

    private init(_ place: Place, _ readCard: (String) throws -> String) throws(DocumentError) {
        let document = try place.members(["title", "card", "cases"])
        title = try document.required("title").line()
        let base = document["card"]
        if let base { _ = try base.membersOfObject() }
        let places = try document.required("cases").list()
        guard (1...Self.maximumCases).contains(places.count) else {
            throw DocumentError("cases", ProfileFault.caseCount(places.count))
        }
        var cases: [TestCase] = []
        var names: Set<String> = []
        for place in places {
            let next = try TestCase(place, base: base, readCard)
            guard names.insert(next.name).inserted else {
                throw DocumentError("\(place.path).name", ProfileFault.caseNameTwice(next.name))
            }
            cases.append(next)
        }
        self.cases = cases
    }
}

/// One case of a plan: a card, a terminal, its users, the issuer, and the required result.
public struct TestCase: Sendable, Equatable {
    public enum Card: Sendable, Equatable {
        case virtual(CardProfileFile)
        /// The card that the tester puts into the reader.
        case inReader
    }

    /// The cardholder's actions at the PIN pad.
    public enum Cardholder: String, Sendable, CaseIterable {
        /// 1234.
        case entersPIN
        /// 4321.
        case entersWrongPIN
        case entersWrongThenRightPIN
        case bypasses
        case hasNoPad
        case findsPadBroken
    }

    /// How the issuer answers.
    public enum Issuer: String, Sendable, CaseIterable {
        /// By the last two digits of the amount, with an ARPC; for a card in a reader `00` without
        /// one.
        case answers
        case cannotBeReached
        /// Response code 01; the call declines.
        case wantsACall
        case answersWithWrongCryptogram
        case answersWithoutCryptogram
    }

    /// One script of the issuer's answer.
    public struct Script: Sendable, Equatable {
        public enum Moment: String, Sendable, CaseIterable { case beforeFinalCryptogram, afterFinalCryptogram }
        public enum Command: String, Sendable, CaseIterable {
            case applicationBlock, applicationUnblock, cardBlock, pinUnblock
        }

        public let moment: Moment
        public let commands: [Command]
        /// The card must refuse it.
        public let hasWrongMAC: Bool
    }

    public let name: String
    /// The tested clause: book and section.
    public let clause: String
    public let reason: String?
    /// Where the card is used: at the contact kernel, or tapped at Entry Point and its kernels.
    public let interface: CardInterface
    public let card: Card
    public let terminal: TestTerminal
    public let transaction: TestTransaction
    public let cardholder: Cardholder
    public let issuer: Issuer
    public let scripts: [Script]
    public let expectation: CardExpectation

    static let keys = [
        "name", "clause", "reason", "interface", "card", "terminal", "transaction", "cardholder", "issuer", "scripts",
        "expect",
    ]

    /// Those of a tap: its card is virtual, and no script reaches it.
    static let keysOfTaps = keys.filter { $0 != "scripts" }

    init(
        _ place: Place, base: Place?, _ readCard: (String) throws -> String
    ) throws(DocumentError) {
        var members = try place.members(Self.keys)
        interface =
            try members["interface"]?.choice([("contact", .contact), ("contactless", .contactless)]) ?? .contact
        if interface == .contactless { members = try place.members(Self.keysOfTaps) }
        name = try members.required("name").line()
        clause = try members.required("clause").line()
        reason = try members["reason"]?.line()
        card = try Self.card(members, base, readCard)
        terminal = try TestTerminal(members["terminal"], interface)
        transaction = try TestTransaction(members["transaction"], interface)
        cardholder = try members["cardholder"]?.choice(Cardholder.allCases.map { ($0.rawValue, $0) }) ?? .entersPIN
        issuer = try members["issuer"]?.choice(Issuer.allCases.map { ($0.rawValue, $0) }) ?? .answers
        scripts = try members["scripts"]?.list { script throws(DocumentError) in try Script(script) } ?? []
        expectation = try CardExpectation(members.required("expect"))
        if interface == .contactless { try checkTap(members) }
    }

    private func checkTap(_ members: Members) throws(DocumentError) {
        switch card {
        case .inReader: throw try members.required("card").wrong(ProfileFault.tapInReader)
        case .virtual(let file) where file.profile.contactless == nil:
            throw DocumentError("\(members.path).card", ProfileFault.notContactless)
        case .virtual: break
        }
        if expectation.dataAuthentication != nil {
            throw try members.required("expect").wrong(ProfileFault.dataAuthenticationOfTap)
        }
    }

    private static let ofFile = "file"

    /// The base card or the card of a file, with the case's changes, or the card in the reader.
    private static func card(
        _ members: Members, _ base: Place?, _ readCard: (String) throws -> String
    ) throws(DocumentError) -> Card {
        let own = members["card"]
        if case .text("inReader")? = own?.value { return .inReader }
        var values = try base?.membersOfObject() ?? [:]
        var path = base?.path ?? "card"
        if let own {
            var changes = try own.membersOfObject()
            path = own.path
            if let file = changes.removeValue(forKey: ofFile) {
                let name = try Place(value: file, path: "\(path).\(ofFile)").text(1...1000)
                values = try Self.members(ofCard: name, at: path, readCard)
            }
            values.merge(changes) { $1 }
        }
        // The file's expectation applies to another terminal.
        values["expect"] = nil
        guard !values.isEmpty else { throw DocumentError(path, ProfileFault.noCard) }
        return .virtual(try CardProfileFile(Place(value: .object(sorted: values), path: path)))
    }

    private static func members(
        ofCard name: String, at path: String, _ readCard: (String) throws -> String
    ) throws(DocumentError) -> [String: JSON] {
        do {
            return try Place.document(readCard(name)) { file throws(DocumentError) in try file.membersOfObject() }
        } catch {
            let words = (error as? DocumentError)?.description(of: name) ?? "\(error)"
            throw DocumentError("\(path).\(ofFile)", ProfileFault.cardFile(words))
        }
    }
}

extension TestCase.Script {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["moment", "commands", "wrongMAC"])
        moment = try members.required("moment").choice(Moment.allCases.map { ($0.rawValue, $0) })
        commands = try members.required("commands").list { command throws(DocumentError) in
            try command.choice(Command.allCases.map { ($0.rawValue, $0) })
        }
        hasWrongMAC = try members["wrongMAC"]?.flag() ?? false
    }
}

extension Place {
    func membersOfObject() throws(DocumentError) -> [String: JSON] {
        Dictionary(uniqueKeysWithValues: try members().map { ($0.key, $0.value.value) })
    }
}
