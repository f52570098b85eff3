import CardProfiles
import Foundation
import JSONDocument
import TLV
import Testing
import VirtualCard

/// Plans as documents: what is taken, what is refused, and where.
@Suite struct TestPlanTests {
    private static let card = #"""
        {"applications": [{"aid": "A0000000031010", "label": "VISA CREDIT"}], "versionNumber": "0096", "cryptograms": "visa18",
         "account": {"pan": "4761739001010119", "expiry": "2049-12-31"}, "pin": "1234"}
        """#

    private struct NoFile: Error, CustomStringConvertible {
        var description: String { "not found" }
    }

    private func plan(_ cases: String, card: String? = card) throws -> TestPlan {
        let base = card.map { #""card": \#($0), "# } ?? ""
        return try TestPlan(parsing: #"{"title": "A plan", \#(base)"cases": [\#(cases)]}"#) { name in
            guard name == "other.json" else { throw NoFile() }
            return Self.card.replacing("VISA CREDIT", with: "OTHER")
        }
    }

    private static let least = #"{"name": "a", "clause": "b", "expect": {"verdict": "approvedOffline"}}"#

    private func profile(_ test: TestCase) -> CardProfileFile? {
        guard case .virtual(let file) = test.card else { return nil }
        return file
    }

    @Test("The shortest plan has the default values") func theLeast() throws {
        let plan = try plan(Self.least)
        let test = try #require(plan.cases.first)
        #expect(plan.title == "A plan")
        #expect(plan.cases.count == 1)
        #expect(test.name == "a")
        #expect(test.clause == "b")
        #expect(test.cardholder == .entersPIN)
        #expect(test.issuer == .answers)
        #expect(try profile(test) == CardProfileFile(parsing: Self.card))
        #expect(test.expectation.amount == 1000)
        #expect(test.terminal.floorLimit == nil)
    }

    /// A key of a case replaces the same key of the plan's card, as a whole, and no other.
    @Test func aCaseChangesTheCard() throws {
        let cases =
            #"{"name": "a", "clause": "b", "card": {"pinTryLimit": 1, "pin": "9999"}, "expect": {"verdict": "terminated"}}"#
        let changed = try #require(try profile(plan(cases).cases[0]))
        var expected = try CardProfileFile(parsing: Self.card)
        expected.profile.pinTryLimit = 1
        expected.profile.pin = try CardProfileFile(parsing: Self.card.replacing("1234", with: "9999")).profile.pin
        #expect(changed == expected)
    }

    @Test func aCardOfAFile() throws {
        let cases =
            #"{"name": "a", "clause": "b", "card": {"file": "other.json", "blocked": true}, "expect": {"verdict": "terminated"}}"#
        let file = try #require(try profile(plan(cases, card: nil).cases[0]))
        #expect(file.profile.applications[0].label == "OTHER")
        #expect(file.profile.isBlocked)
    }

    @Test("A case at the contactless interface has its own values") func aTap() throws {
        let cases = #"""
            {"name": "a", "clause": "b", "interface": "contactless", "card": {"contactless": {}},
             "terminal": {"floorLimit": 1, "verificationLimit": 2, "transactionLimit": 3, "type": "21"},
             "transaction": {"kind": "cash"}, "expect": {"verdict": "approvedOnline"}}
            """#
        let test = try plan(cases).cases[0]
        #expect(test.interface == .contactless)
        #expect(test.transaction.kind == .cash)
        #expect(test.terminal.type == 0x21)
        #expect(test.terminal.floorLimit == 1)
        #expect(test.terminal.verificationLimit == 2)
        #expect(test.terminal.transactionLimit == 3)
        #expect(try plan(Self.least).cases[0].interface == .contact)
    }

    /// What a tap does not have is refused, not ignored.
    @Test(arguments: [
        (#""card": "inReader""#, "cases[0].card"), (#""scripts": []"#, "scripts"),
        (#""terminal": {"percentage": 1}"#, "percentage"),
        (#""transaction": {"forcedOnline": true}"#, "forcedOnline"), (#""interface": "stripe""#, "interface"),
    ]) func whatATapDoesNotHave(_ member: String, _ place: String) throws {
        let interface = member.contains("interface") ? "" : #""interface": "contactless", "#
        let cases = #"{"name": "a", "clause": "b", \#(interface)\#(member), "expect": {"verdict": "terminated"}}"#
        let error = #expect(throws: (any Error).self) { try plan(cases) }
        #expect(error.map { "\($0)" }?.contains(place) == true, "\(String(describing: error))")
        let authentication =
            #"{"name": "a", "clause": "b", "interface": "contactless", "expect": {"verdict": "terminated", "dataAuthentication": "cda"}}"#
        #expect(throws: (any Error).self) { try plan(authentication) }
        // The limits of taps are not those of the contacts.
        let limit =
            #"{"name": "a", "clause": "b", "terminal": {"transactionLimit": 1}, "expect": {"verdict": "terminated"}}"#
        #expect(throws: (any Error).self) { try plan(limit) }
    }

    @Test func aCardInTheReader() throws {
        let cases = #"{"name": "a", "clause": "b", "card": "inReader", "expect": {"verdict": "terminated"}}"#
        #expect(try plan(cases, card: nil).cases[0].card == .inReader)
    }

    @Test(arguments: [
        (#"{"name": "a", "expect": {"verdict": "terminated"}}"#, "cases[0].clause: missing"),
        (#"{"name": "a", "clause": "b"}"#, "cases[0].expect: missing"),
        (least + "," + least, "cases[1].name: another case is called a"),
        ("", "cases: 1 to 10000 cases, got 0"),
        (
            #"{"name": "a", "clause": "b", "expect": {"verdict": "perhaps"}}"#,
            "cases[0].expect.verdict: one of approvedOffline"
        ),
        (
            #"{"name": "a", "clause": "b", "terminal": {"floorLimit": -1}, "expect": {"verdict": "terminated"}}"#,
            "cases[0].terminal.floorLimit: a number from 0"
        ),
        (
            #"{"name": "a", "clause": "b", "terminal": {"roof": 1}, "expect": {"verdict": "terminated"}}"#,
            "cases[0].terminal.roof: unknown key"
        ),
        (
            #"{"name": "a", "clause": "b", "card": {"file": "none.json"}, "expect": {"verdict": "terminated"}}"#,
            "cases[0].card.file: not found"
        ),
        (
            #"{"name": "a", "clause": "b", "card": {"pin": "12"}, "expect": {"verdict": "terminated"}}"#,
            "cases[0].card.pin: "
        ),
        (
            #"{"name": "a", "clause": "b", "issuer": "sleeps", "expect": {"verdict": "terminated"}}"#,
            "cases[0].issuer: one of answers"
        ),
    ]) func whatIsRefused(_ cases: String, _ words: String) {
        let error = #expect(throws: DocumentError.self) { try plan(cases) }
        #expect(error?.position != nil)
        #expect("\(error?.path ?? ""): \(error?.message ?? "")".hasPrefix(words))
    }

    @Test func noCardAtAll() {
        #expect { try plan(Self.least, card: nil) } throws: { "\($0)".contains("no card") }
    }

    @Test(
        "The plan of the contact kernel: every case says which clause it shows, and each chapter of the flow has some")
    func theContactPlan() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "Vectors/plans")
        let plan = try TestPlan(parsing: String(contentsOf: folder.appending(path: "contact.json"), encoding: .utf8)) {
            name in
            try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        #expect(plan.cases.count >= 120)
        for test in plan.cases {
            #expect(
                test.clause.wholeMatch(of: /EMV 4\.4 Book [1-4], [0-9.]+|EMVCo Specification Bulletin [0-9]+/) != nil,
                "\(test.name)")
            #expect(test.reason != nil, "\(test.name)")
        }
        for chapter in ["10.1", "10.2", "10.3", "10.4", "10.5", "10.6", "10.7", "10.8", "10.9", "10.10", "10.11"] {
            #expect(plan.cases.contains { $0.clause.hasPrefix("EMV 4.4 Book 3, \(chapter)") }, "\(chapter)")
        }
    }
}
