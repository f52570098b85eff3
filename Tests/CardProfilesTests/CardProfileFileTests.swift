import Bytes
import CardCryptography
import CardProfiles
import Foundation
import JSONDocument
import SmartCard
import TLV
import Testing
import VirtualCard

@Suite struct CardProfileFileTests {
    /// The least that a document may say.
    private static let least = """
        {"applications": [{"aid": "A0000000031010", "label": "VISA CREDIT"}], "account": {"pan": "4761739001010119", "expiry": "2049-12-31"},
         "versionNumber": "0096", "cryptograms": "visa18"}
        """

    /// The least document with more in it.
    private static func document(_ members: String) -> String { String(least.dropLast()) + ", \(members)}" }

    @Test func whatIsNotSaidIsAsInTheProfile() throws {
        var expected = CardProfile.visaStyle()
        expected.pin = nil
        #expect(try CardProfileFile(parsing: Self.least) == CardProfileFile(expected))
    }

    // MARK: Every key

    @Test("the selection data of a profile are read") func selection() throws {
        let profile = try CardProfileFile(
            parsing: """
                {"applications": [
                    {"aid": "A000000004 1010", "label": "MASTERCARD", "preferredName": "\u{41C}\u{438}\u{440}", "codeTable": 5, "priority": 2,
                     "confirmation": true, "blocked": true},
                    {"aid": "A0000000043060", "label": "MAESTRO", "priority": null}],
                 "account": {"pan": "5413330089600119", "panSequenceNumber": null, "expiry": "2030-11-30", "effective": null,
                    "cardholderName": "SPECIMEN/", "serviceCode": "021", "track2DiscretionaryData": "1"},
                 "versionNumber": "0002", "cryptograms": "mastercard14", "paymentSystemEnvironment": false, "languages": ["de", "fr"]}
                """
        ).profile
        #expect(profile.applications.map(\.aid) == [[0xA0, 0, 0, 0, 4, 0x10, 0x10], [0xA0, 0, 0, 0, 4, 0x30, 0x60]])
        #expect(profile.applications.map(\.priority) == [2, nil])
        #expect(profile.applications[0].needsConfirmation && profile.applications[0].isBlocked)
        #expect(profile.applications[0].codeTable.rawValue == 5)
        #expect(profile.applications[0].preferredName == "\u{41C}\u{438}\u{440}")
        #expect(!profile.hasPaymentSystemEnvironment)
        #expect(profile.languages == ["de", "fr"])
        #expect(profile.account.expiry == [0x30, 0x11, 0x30])
        #expect(profile.account.effectiveDate == nil)
        #expect(profile.account.panSequenceNumber == nil)
        #expect(profile.account.serviceCode == 21)
        #expect(profile.account.cardholderName == "SPECIMEN/")
        #expect(profile.account.track2DiscretionaryData == "1")
        #expect(profile.cryptograms == .mastercard14)
    }

    @Test("the data objects of a profile are read") func data() throws {
        let profile = try CardProfileFile(
            parsing: Self.document(
                """
                "issuerCountryCode": 276, "applicationCurrencyCode": 978, "applicationCurrencyExponent": 2,
                "aip": ["sda", "cardholderVerification"], "auc": "FF80",
                "cvmList": {"amountX": 1000, "amountY": 2000, "rules": [
                    {"method": "encipheredPINByICC", "condition": "ifTerminalSupports", "otherwiseNext": true},
                    {"method": "noCVM", "condition": "ifUnderX"}, "5E09"]},
                "actionCodes": {"denial": "0010000000", "online": ["floorLimitExceeded"], "default": []},
                "limits": {"lowerConsecutiveOffline": 1, "upperConsecutiveOffline": 3},
                "files": [{"sfi": 1, "records": [["5A", "5F24"], ["57"]], "authenticated": 1}],
                "pdol": [{"tag": "9F33", "length": 3}], "cdol2": "8A02", "ddol": null, "logFormat": "9A03", "responseFormat": "format1"
                """)
        ).profile
        #expect(profile.issuerCountryCode == 276)
        #expect(profile.applicationCurrencyCode == 978)
        // SDA is bit 7 and cardholder verification bit 5 of AIP byte 1 (EMV 4.4 Book 3, annex C1).
        #expect(profile.interchangeProfile.bytes == [0x50, 0x00])
        #expect(profile.usageControl?.bytes == [0xFF, 0x80])
        // Code 04 with bit 7, condition 03; 1F with condition 06; signature 1E with bit 7,
        // condition 09 (annex C3).
        #expect(profile.cvmList?.bytes == [0, 0, 0x03, 0xE8, 0, 0, 0x07, 0xD0, 0x44, 0x03, 0x1F, 0x06, 0x5E, 0x09])
        #expect(profile.actionCodes.denial == .serviceNotAllowed)
        // Bit 8 of TVR byte 4 (annex C5).
        #expect(profile.actionCodes.online.bytes == [0, 0, 0, 0x80, 0])
        #expect(profile.actionCodes.default == [])
        #expect(profile.consecutiveOfflineLimits == 1...3)
        #expect(profile.fileLayout == CardFileLayout([.init(sfi: 1, [[0x5A, 0x5F24], [0x57]], authenticated: 1)]))
        #expect(profile.pdol?.bytes == [0x9F, 0x33, 3])
        #expect(profile.cdol2.bytes == [0x8A, 2])
        #expect(profile.ddol == nil)
        #expect(profile.logFormat?.bytes == [0x9A, 3])
        #expect(profile.responseFormat == .format1)
    }

    @Test func keysAndBehavior() throws {
        let file = try CardProfileFile(
            parsing: Self.document(
                """
                "pin": "123456", "pinTryLimit": 5, "initialATC": 65000, "blocked": true, "reason": "everything",
                "keys": {"authorityIndex": "F1", "authorityBits": 1984, "issuerBits": 1408, "iccBits": 1152, "exponent": 65537,
                         "pinEnciphermentKey": true, "curve": null},
                "testMasterKeys": {"applicationCryptogram": "0123456789ABCDEFFEDCBA9876543210",
                    "integrity": "FEDCBA98765432100123456789ABCDEF", "confidentiality": "89ABCDEF0123456776543210FEDCBA98"},
                "riskRules": {"declinesAbove": 5000, "goesOnlineAbove": 2000, "approvesWhenUnableToGoOnline": false,
                    "requiresIssuerAuthentication": true},
                "scripts": {"obeys": ["pinChangeUnblock"], "beginsTransactionsWhenBlocked": true},
                "expect": {"amount": 999, "verdict": "declinedOffline", "tvr": "8000000000", "cvmResults": "1F0302",
                    "dataAuthentication": "none", "aid": "A0000000031010", "termination": "x"}
                """))
        let profile = file.profile
        #expect(profile.pin == PIN(ascii: "123456".utf8))
        #expect(profile.pinTryLimit == 5)
        #expect(profile.initialATC == 65000)
        #expect(profile.isBlocked)
        #expect(profile.keySizes == RSAKeySizes(certificationAuthority: 1984, issuer: 1408, icc: 1152, exponent: 65537))
        #expect(profile.caPublicKeyIndex == 0xF1)
        #expect(profile.hasPINEnciphermentKey)
        #expect(profile.issuerMasterKeys == .testIssuerKeys)
        #expect(profile.riskRule.declinesAbove == 5000)
        #expect(profile.riskRule.goesOnlineAbove == 2000)
        #expect(!profile.riskRule.approvesWhenUnableToGoOnline)
        #expect(profile.riskRule.requiresIssuerAuthentication)
        #expect(profile.issuerCommands == [.pinChangeUnblock])
        #expect(profile.beginsTransactionsWhenBlocked)
        #expect(file.reason == "everything")
        let expectation = try #require(file.expectation)
        #expect(expectation.amount == 999)
        #expect(expectation.verdict == .declinedOffline)
        #expect(expectation.tvr == .offlineDataAuthenticationNotPerformed)
        #expect(expectation.cvmResults?.bytes == [0x1F, 0x03, 0x02])
        #expect(expectation.dataAuthentication == CardExpectation.DataAuthentication.none)
        #expect(expectation.aid == [0xA0, 0, 0, 0, 3, 0x10, 0x10])
    }

    @Test("faults are read from a profile") func faults() throws {
        let file = try CardProfileFile(
            parsing: Self.document(
                """
                "faults": [{"fault": "removal", "step": 4}, {"fault": "status", "status": "6F00", "command": "verify"},
                    {"fault": "corruption", "byte": 3, "xor": "01", "command": "generateAC", "occurrence": 2},
                    {"fault": "corruption", "byte": 3}, {"fault": "truncation", "length": 7, "step": 1},
                    {"fault": "delay", "milliseconds": 1500, "command": "readRecord"}, {"fault": "cryptogramInformation", "cid": "40"},
                    {"fault": "endlessChaining", "step": 9}, {"fault": "endlessWrongLength", "step": 9}, {"fault": "previousAnswer", "step": 9},
                    {"fault": "silence", "step": 9}, {"fault": "firstFCI"}, {"fault": "oneMoreApplication", "command": "select"}]
                """))
        #expect(
            file.faults == [
                CardFault(.removal, at: .step(4)), CardFault(.status(0x6F00), at: .every(.verify)),
                CardFault(.corruption(index: 3, mask: 0x01), at: .command(.generateAC, occurrence: 2)),
                CardFault(.corruption(index: 3, mask: 0xFF), at: .always), CardFault(.truncation(to: 7), at: .step(1)),
                CardFault(.delay(milliseconds: 1500), at: .every(.readRecord)),
                CardFault(.cryptogramInformation(0x40), at: .always),
                CardFault(.endlessChaining, at: .step(9)), CardFault(.endlessWrongLength, at: .step(9)),
                CardFault(.previousAnswer, at: .step(9)), CardFault(.silence, at: .step(9)),
                CardFault(.firstFCI, at: .always),
                CardFault(.oneMoreApplication, at: .every(.select)),
            ])
        #expect(try CardProfileFile(parsing: file.json) == file)
    }

    @Test("Faults of a card in a field are read from a profile") func contactlessFaults() throws {
        let file = try CardProfileFile(
            parsing: Self.document(
                """
                "faults": [{"fault": "waitingTimeExtensions", "times": 3, "command": "getProcessingOptions"},
                    {"fault": "waitingTimeExtensions"}, {"fault": "replacement", "tag": "9F6C", "value": "0080", "step": 3},
                    {"fault": "otherName", "aid": "A0000000041010", "name": "A0000000031010"},
                    {"fault": "secondCard", "times": 2}, {"fault": "secondCard", "times": null}]
                """))
        #expect(
            file.faults == [
                CardFault(.waitingTimeExtensions(3), at: .every(.getProcessingOptions)),
                CardFault(.waitingTimeExtensions(nil), at: .always),
                CardFault(.replacement(0x9F6C, value: [0x00, 0x80]), at: .step(3)),
                CardFault(
                    .otherName([0xA0, 0, 0, 0, 3, 0x10, 0x10], insteadOf: [0xA0, 0, 0, 0, 4, 0x10, 0x10]), at: .always),
                CardFault(.secondCard(presentations: 2), at: .always),
                CardFault(.secondCard(presentations: nil), at: .always),
            ])
        #expect(try CardProfileFile(parsing: file.json) == file)
        let lines = file.summary.first { $0.title == "Faults" }?.lines ?? []
        for words in [
            "3 times", "without end", "9F6C of the answer is 0080", "A0000000041010 has the name A0000000031010",
            "first 2",
        ] {
            #expect(lines.contains { $0.contains(words) }, "\(words)")
        }
    }

    @Test("A summary hides a card number that a fault puts into an answer") func hiddenReplacement() throws {
        let fault = CardFault(
            .replacement(.applicationPAN, value: [0x54, 0x13, 0x33, 0x00, 0x89, 0x60, 0x01, 0x19]), at: .always)
        let lines = CardProfileFile(.visaStyle(), faults: [fault]).summary.flatMap(\.lines)
        #expect(lines.contains { $0.contains("tag 5A of the answer") })
        #expect(!lines.contains { $0.contains("5413330089600119") })
    }

    // MARK: There and back

    @Test(
        "A written profile is read back as the same profile",
        arguments: [
            CardProfile.visaStyle(), .mastercardStyle(), .commonCoreStyle(.tdes), .commonCoreStyle(.aes),
            .ellipticCurveStyle(.p256),
            .ellipticCurveStyle(.p521),
        ])
    func roundTrip(_ profile: CardProfile) throws {
        let file = CardProfileFile(profile)
        #expect(try CardProfileFile(parsing: file.json) == file)
        #expect(file.json == CardProfileFile(profile).json)
    }

    @Test func roundTripOfEverythingElse() throws {
        var profile = CardProfile.mastercardStyle()
        profile.applications[0].preferredName = "\u{E9}t\u{E9}"
        profile.applications[0].priority = nil
        profile.languages = ["fr", "nl"]
        profile.account.panSequenceNumber = nil
        profile.account.effectiveDate = [0x99, 0x12, 0x31]
        profile.account.serviceCode = 7
        // A bit without a name: bit 4 of AUC byte 2 is reserved.
        profile.usageControl = ApplicationUsageControl(rawValue: 0x0108)
        profile.cvmList = CVMList(x: .max, y: 1, rules: [CVMRule(0x60, 0x80), CVMRule(0x41, 0x00)])
        profile.consecutiveOfflineLimits = 0...255
        profile.fileLayout = .standard(for: profile)
        profile.pdol = DOL(entries: [DOL.Entry(0x9F1A, 2)])
        profile.ddol = nil
        profile.logFormat = DOL(entries: [DOL.Entry(0x9A, 3)])
        profile.responseFormat = .format1
        profile.pin = PIN(ascii: "000123456789".utf8)
        profile.hasPINEnciphermentKey = true
        profile.keySizes.exponent = 65537
        profile.riskRule = CardRiskRule(declinesAbove: 1, goesOnlineAbove: 999_999_999_999)
        profile.isBlocked = true
        var contactless = VisaContactlessProfile()
        contactless.pdol = DOL(entries: contactless.pdol.entries + [DOL.Entry(.merchantNameAndLocation, 20)])
        contactless.interchangeProfile = []
        contactless.qualifiers = [.issuerUpdateProcessing, .onlineIfExpired]
        contactless.verifications = [.consumerDevice, .signature]
        contactless.approvesOfflineUpTo = 999_999_999_999
        contactless.formFactorIndicator = [0x23, 0x88, 0x00, 0x00]
        contactless.programIdentifier = [0x31]
        contactless.device = .locked
        contactless.transit = .zeroAmount
        profile.contactless = .visa(contactless)
        profile.issuerCommands = [.putData]
        var expectation = CardExpectation(.terminated)
        expectation.termination = "blocked"
        expectation.tvr = []
        let file = CardProfileFile(
            profile, faults: [CardFault(.removal, at: .step(1))], reason: "all \"of\" it", expectation: expectation)
        #expect(try CardProfileFile(parsing: file.json) == file)
    }

    @Test("Data storage") func dataStorage() throws {
        var storage = MastercardContactlessProfile.DataStorage()
        storage.version = .two
        var slot = MastercardContactlessProfile.DataStorage.Slot()
        (slot.operatorIdentifier, slot.data, slot.isPermanent, slot.isLocked) = (
            [1, 2, 3, 4, 5, 6, 7, 8], [9], true, true
        )
        storage.slots = [slot, .init()]
        storage.scheme = 8
        storage.envelopes = [1: [0x01], 9: [UInt8](repeating: 2, count: 64)]
        for storage in [storage, .init()] {
            var profile = CardProfile.mastercardStyle()
            var contactless = MastercardContactlessProfile()
            contactless.dataStorage = storage
            profile.contactless = .mastercard(contactless)
            let file = CardProfileFile(profile)
            #expect(try CardProfileFile(parsing: file.json) == file)
            try profile.validate()
            let text = try Self.description
            for key in file.json.matches(of: #/"(\w+)" ?:/#).map({ String($0.1) }) where Int(key) == nil {
                #expect(text.contains("`\(key)`") || text.contains("\"\(key)\""), "\(key)")
            }
        }
    }

    private static var description: String {
        get throws {
            let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            return try String(contentsOf: package.appending(path: "docs/card-profile.md"), encoding: .utf8)
        }
    }

    @Test(
        "Data storage that no card has",
        arguments: [
            #"{"version": "3"}"#, #"{"slots": [{"operator": "01020304"}]}"#, #"{"scheme": 9}"#,
            #"{"envelopes": {"11": "00"}}"#,
            #"{"slots": [{"secret": true}]}"#,
        ])
    func invalidDataStorage(_ storage: String) {
        let text =
            #"{"applications": [{"aid": "A0000000041010", "label": "M"}], "account": {"pan": "5413330089600119", "expiry": "2049-12-31"}, "#
            + #""versionNumber": "0002", "contactless": {"system": "mastercard", "dataStorage": \#(storage)}}"#
        #expect(throws: (any Error).self) { try CardProfileFile(parsing: text) }
    }

    /// Every command that a fault may be about has a name.
    @Test(arguments: Instruction.allCases) func everyCommandIsNamed(_ instruction: Instruction) throws {
        let file = CardProfileFile(.visaStyle(), faults: [CardFault(.silence, at: .every(instruction))])
        #expect(try CardProfileFile(parsing: file.json) == file)
    }

    /// Every key that is written stands in the document that describes them, in a table or between
    /// its quotation marks.
    @Test func everyKeyIsDescribed() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: package.appending(path: "docs/card-profile.md"), encoding: .utf8)
        var profile = CardProfile.visaStyle()
        profile.fileLayout = .standard(for: profile)
        profile.consecutiveOfflineLimits = 1...2
        profile.contactless = .visa(VisaContactlessProfile())
        let effects: [CardFault.Effect] = [
            .status(0x6F00), .corruption(index: 0, mask: 1), .truncation(to: 0), .delay(milliseconds: 1),
            .cryptogramInformation(0),
            .waitingTimeExtensions(1), .replacement(.cvmList, value: [0]),
        ]
        var expectation = CardExpectation(.terminated)
        expectation.tvr = []
        expectation.cvmResults = .noneApplied
        expectation.dataAuthentication = .cda
        expectation.aid = [1, 2, 3, 4, 5]
        expectation.termination = ""
        expectation.reversal = true
        let withoutOccasion: [CardFault.Effect] = [
            .otherName([1, 2, 3, 4, 5], insteadOf: [6, 7, 8, 9, 10]), .secondCard(presentations: 1),
        ]
        let faults =
            effects.map { CardFault($0, at: .command(.select, occurrence: 1)) }
            + withoutOccasion.map { CardFault($0, at: .always) }
            + [CardFault(.removal, at: .step(1))]
        let json = CardProfileFile(profile, faults: faults, reason: "", expectation: expectation).json
        let keys = Set(json.matches(of: #/"(\w+)" ?:/#).map { String($0.1) })
        #expect(keys.count > 80)
        for key in keys.sorted() { #expect(text.contains("`\(key)`") || text.contains("\"\(key)\""), "\(key)") }
    }

    @Test func everyCryptogramVersionIsNamed() throws {
        for scheme in [
            CryptogramScheme.visa10, .visa18, .visa22, .mastercard10, .mastercard11, .mastercard14, .mastercard15,
            .interac85, .unionPay01,
        ] {
            let profile = CardProfile(
                applications: CardProfile.visaStyle().applications, account: CardProfile.visaStyle().account,
                versionNumber: 1,
                cryptograms: scheme)
            #expect(try CardProfileFile(parsing: CardProfileFile(profile).json).profile.cryptograms == scheme)
        }
    }

    // MARK: For people

    @Test func summaryHidesTheAccount() throws {
        let file = try CardProfileFile(
            parsing: Self.document(
                "\"pin\": \"9753\", \"faults\": [{\"fault\": \"status\", \"status\": \"6F00\", \"command\": \"verify\"}]"
            ))
        let text = file.summary.flatMap { [$0.title] + $0.lines }.joined(separator: "\n")
        for words in [
            "A0000000031010 \"VISA CREDIT\"", "476173******0119", "CDA supported", "Enciphered PIN verified online",
            "visa18",
            "every VERIFY: the answer is SW 6F00",
        ] { #expect(text.contains(words), "\(words)") }
        for secret in ["4761739001010119", "9753", "TEST/CARDHOLDER", "4912", "0123456789ABCDEF"] {
            #expect(!text.contains(secret))
        }
    }

    // MARK: What is refused

    private static let refused: [(String, String)] = [
        ("", "a value is missing here"), ("[]", "an object is required, not a list"), ("{}", "applications: missing"),
        (
            least.replacing("A0000000031010", with: "A00"),
            "applications[0].aid: 5 to 16 bytes in hexadecimal, got 'A00'"
        ),
        (
            least.replacing("VISA CREDIT", with: "A LABEL OF SEVENTEEN"),
            "applications[0].label: 1 to 16 characters, got 20"
        ),
        (
            least.replacing("2049-12-31", with: "2050-01-01"),
            "account.expiry: a date from 1950-01-01 to 2049-12-31, got '2050-01-01'"
        ),
        (
            least.replacing("2049-12-31", with: "491231"),
            "account.expiry: a date from 1950-01-01 to 2049-12-31, got '491231'"
        ),
        (least.replacing("\"visa18\"", with: "\"visa19\""), "cryptograms: one of visa10, visa18"),
        (least.replacing("\"0096\"", with: "150"), "versionNumber: 2 bytes in hexadecimal is required, not a number"),
        (document("\"color\": 1"), "color: unknown key"),
        (document("\"keys\": {\"secret\": 1}"), "keys.secret: unknown key"),
        (document("\"contactless\": {\"pdol\": \"9F6604\"}"), "contactless: "),
        (document("\"contactless\": {\"device\": \"lost\"}"), "contactless.device: one of verified, locked"),
        (
            document("\"contactless\": {}, \"keys\": {\"curve\": \"P-256\"}"),
            "contactless: a card with elliptic curve keys"
        ),
        (document("\"pinTryLimit\": 16"), "pinTryLimit: a number from 1 to 15, got 16"),
        (
            document("\"pinTryLimit\": 1.5"),
            "pinTryLimit: a whole number is required, not a number with a fraction or an exponent"
        ),
        (document("\"aip\": [\"sda\", \"fda\"]"), "aip[1]: one of xda, sda, dda"),
        (document("\"aip\": \"40\""), "aip: 2 bytes in hexadecimal, got '40'"),
        (document("\"cdol1\": \"9F02\""), "cdol1: a data object list"),
        (
            document("\"cdol1\": \"9F0206\""),
            "cdol1: Card Risk Management Data Object List 1 (CDOL1) (8C) does not ask for"
        ),
        (
            document("\"pdol\": [{\"tag\": \"9F\", \"length\": 1}]"),
            "pdol[0].tag: a tag in hexadecimal, such as 9F02, got '9F'"
        ),
        (
            document("\"pdol\": [{\"tag\": \"9A\", \"length\": 252}, {\"tag\": \"9C\", \"length\": 1}]"),
            "pdol: it asks for 253 bytes"
        ),
        (document("\"files\": [{\"sfi\": 1, \"records\": [[\"9F02\"]]}]"), "files: the card has no"),
        (document("\"files\": [{\"sfi\": 31, \"records\": [[]]}]"), "files[0].sfi: a number from 1 to 30, got 31"),
        (
            document("\"limits\": {\"lowerConsecutiveOffline\": 2, \"upperConsecutiveOffline\": 1}"),
            "limits.upperConsecutiveOffline: at least"
        ),
        (document("\"keys\": {\"exponent\": 17}"), "keys.exponent: 3 or 65537, got 17"),
        (document("\"keys\": {\"iccBits\": 1025}"), "keys.iccBits: whole bytes"),
        (document("\"languages\": [\"DE\"]"), "languages[0]: two lower-case letters of ISO 639-1, got 'DE'"),
        (
            document("\"faults\": [{\"fault\": \"removal\", \"status\": \"9000\"}]"),
            "faults[0].status: 'removal' has no status"
        ),
        (document("\"faults\": [{\"fault\": \"corruption\"}]"), "faults[0].byte: missing"),
        (
            document("\"faults\": [{\"fault\": \"removal\", \"step\": 1, \"command\": \"verify\"}]"),
            "faults[0].command: not allowed with step"
        ),
        (
            document("\"faults\": [{\"fault\": \"removal\", \"occurrence\": 1}]"),
            "faults[0].occurrence: needs a command"
        ),
        (document("\"faults\": [{\"fault\": \"fire\"}]"), "faults[0].fault: one of removal"),
        (
            document("\"faults\": [{\"fault\": \"waitingTimeExtensions\", \"times\": 0}]"),
            "faults[0].times: a number from 1 to 10000, got 0"
        ),
        (document("\"faults\": [{\"fault\": \"removal\", \"times\": 1}]"), "faults[0].times: 'removal' has no times"),
        (
            document("\"faults\": [{\"fault\": \"replacement\", \"tag\": \"9F\", \"value\": \"\"}]"),
            "faults[0].tag: a tag in hexadecimal"
        ),
        (document("\"faults\": [{\"fault\": \"replacement\", \"tag\": \"9F6C\"}]"), "faults[0].value: missing"),
        (
            document("\"faults\": [{\"fault\": \"otherName\", \"aid\": \"A000\", \"name\": \"A0000000031010\"}]"),
            "faults[0].aid: 5 to 16 bytes in hexadecimal"
        ),
        (document("\"faults\": [{\"fault\": \"otherName\", \"aid\": \"A0000000031010\"}]"), "faults[0].name: missing"),
        (
            document("\"faults\": [{\"fault\": \"secondCard\", \"step\": 1}]"),
            "faults[0].step: 'secondCard' has no occasion"
        ),
        (
            document("\"contactless\": {\"device\": \"verified\", \"transit\": \"zeroAmount\"}"),
            "contactless.transit: only a device that is locked has it"
        ),
        (
            document("\"contactless\": {\"device\": \"locked\", \"transit\": \"always\"}"),
            "contactless.transit: one of authenticatingReader, zeroAmount"
        ),
        (document("\"expect\": {}"), "expect.verdict: missing"),
        (document("\"reason\": \"a\\u001Bc\""), "reason: one line without control characters"),
        (document("\"co\\u001B\\nlour\": 1"), "co..lour: unknown key"),
        (String(repeating: "[", count: 100_000), "[0][0][0]"),
    ]

    @Test("an invalid profile is refused with the place of the error", arguments: refused) func refuses(
        _ text: String, _ message: String
    ) throws {
        do throws(DocumentError) {
            _ = try CardProfileFile(parsing: text)
            Issue.record("it was taken")
        } catch {
            let place = try #require(error.position)
            #expect(error.description.hasPrefix("\(place.line):\(place.column): \(message)"), "\(error)")
        }
    }

    /// 9999999999999995 has a right check digit, nobody issues it, and no scheme or gateway has
    /// published it.
    @Test(arguments: ["9999999999999995", "4761739001010118", "47617390010101190000", "476173900101011X"])
    func refusesCardNumbersWithoutShowingThem(_ pan: String) throws {
        do throws(DocumentError) {
            _ = try CardProfileFile(parsing: Self.least.replacing("4761739001010119", with: pan))
            Issue.record("it was taken")
        } catch {
            #expect(error.path == "account.pan")
            #expect(!error.description.contains(pan))
        }
    }

    @Test(arguments: [
        "\"pin\": \"98\"", "\"pin\": \"98765X\"",
        "\"testMasterKeys\": {\"applicationCryptogram\": \"98765432\", \"integrity\": \"\", \"confidentiality\": \"\"}",
    ])
    func showsNoSecret(_ member: String) {
        do throws(DocumentError) {
            _ = try CardProfileFile(parsing: Self.document(member))
            Issue.record("it was taken")
        } catch {
            #expect(!error.path.contains("98"))
            #expect(!error.message.contains("98"))
        }
    }
}
