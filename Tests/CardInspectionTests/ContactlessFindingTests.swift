import CardInspection
import CardModels
import CardProfiles
import Foundation
import SmartCard
import TLV
import Testing
import VirtualCard

/// Cards in a reader's field: what is asked of them, and every defect that is looked for. What is
/// right and wrong is from the clause that the finding names, or marked in
/// `docs/conformance-contactless.md` as known from open implementations.
@Suite struct ContactlessFindingTests {
    private static let visa = Task {
        var profile = CardProfile.visaStyle()
        profile.contactless = .visa(VisaContactlessProfile())
        return try await ReadCard(profile, interface: .contactless)
    }
    private static let mastercard = Task { try await ReadCard(mastercard(.emv), interface: .contactless) }
    private static let magstripe = Task { try await ReadCard(mastercard(.magstripe), interface: .contactless) }
    private static let kernel8 = Task { try await ReadCard(.kernel8Style(), interface: .contactless) }

    private static func mastercard(_ mode: MastercardContactlessProfile.Mode) -> CardProfile {
        var profile = CardProfile.mastercardStyle()
        var contactless = MastercardContactlessProfile()
        contactless.mode = mode
        profile.contactless = .mastercard(contactless)
        return profile
    }

    enum Base: Sendable { case visa, mastercard, magstripe, kernel8 }

    private static func card(_ base: Base) async throws -> ReadCard {
        switch base {
        case .visa: try await visa.value
        case .mastercard: try await mastercard.value
        case .magstripe: try await magstripe.value
        case .kernel8: try await kernel8.value
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let base: Base
        let kind: CardFinding.Kind
        let severity: CardFinding.Severity
        let tag: TLV.Tag?
        let what: String
        let change: @Sendable (inout CardImage) -> Void

        init(
            _ base: Base, _ kind: CardFinding.Kind, severity: CardFinding.Severity = .error, tag: TLV.Tag?,
            what: String,
            change: @escaping @Sendable (inout CardImage) -> Void
        ) {
            (self.base, self.kind, self.severity, self.tag, self.what, self.change) = (
                base, kind, severity, tag, what, change
            )
        }

        var testDescription: String { "\(kind.rawValue): \(what)" }
    }

    @Test(arguments: [Base.visa, .mastercard, .magstripe, .kernel8]) func aCleanCard(_ base: Base) async throws {
        let findings = try await Self.card(base).findings().filter { $0.severity > .remark }
        #expect(findings == [], "\(findings.map { "\($0.place): \($0.summary)" })")
    }

    @Test("each defect of a contactless card is found", arguments: directory + applications) func found(_ example: Case)
        async throws
    {
        var card = try await Self.card(example.base)
        let clean = card.findings()
        example.change(&card.image)
        let findings = card.findings()
        func isSought(_ finding: CardFinding) -> Bool {
            finding.kind == example.kind && finding.severity == example.severity && finding.place.tag == example.tag
        }
        #expect(!clean.contains(where: isSought))
        #expect(
            findings.contains { isSought($0) && !$0.source.isEmpty },
            "\(findings.map { "\($0.kind) \($0.severity) \($0.place): \($0.summary)" })")
    }

    // MARK: The directory

    private static let visaName: [UInt8] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]

    /// `6F { A5 { BF0C { … } } }` with the entries.
    private static func directory(_ entries: [[UInt8]]) -> CardImage.Answer {
        CardImage.Answer(
            tlv(.fciTemplate, tlv(.fciProprietaryTemplate, tlv(.fciIssuerDiscretionaryData, entries.flatMap(\.self)))))
    }

    private static func entry(_ objects: [UInt8]...) -> [UInt8] { tlv(.applicationTemplate, objects.flatMap(\.self)) }

    static let directory: [Case] = [
        Case(.visa, .environmentMalformed, tag: nil, what: "SW 6A82 for PPSE") {
            $0.environment = CardImage.Answer([], .fileNotFound)
        },
        Case(.visa, .environmentMalformed, tag: .fciTemplate, what: "no template 6F") {
            $0.environment?.data[0] = 0x70
        },
        Case(.visa, .directoryMalformed, tag: .applicationTemplate, what: "an entry outside BF0C") {
            $0.environment = CardImage.Answer(
                tlv(.fciTemplate, tlv(.fciProprietaryTemplate, entry(tlv(.adfName, visaName)))))
        },
        Case(.visa, .directoryMalformed, tag: .applicationTemplate, what: "no entry") {
            $0.environment = directory([])
        },
        Case(.visa, .directoryMalformed, tag: .applicationTemplate, what: "an entry without a name") {
            $0.environment = directory([entry(tlv(.applicationLabel, Array("VISA".utf8)))])
        },
        Case(.visa, .directoryMalformed, tag: .applicationTemplate, what: "a name of 4 bytes") {
            $0.environment = directory([entry(tlv(.adfName, [0xA0, 0, 0, 0]))])
        },
        Case(.visa, .directoryMalformed, tag: .kernelIdentifier, what: "a domestic kernel in one byte") {
            $0.environment = directory([entry(tlv(.adfName, visaName), tlv(.kernelIdentifier, [0x80]))])
        },
        Case(
            .visa, .priority, severity: .remark, tag: .applicationPriorityIndicator,
            what: "one of two without a priority"
        ) {
            $0.environment = directory([
                entry(tlv(.adfName, visaName)),
                entry(tlv(.adfName, visaName + [1]), tlv(.applicationPriorityIndicator, [1])),
            ])
        },
        Case(.visa, .directoryContradictsApplication, severity: .warning, tag: .applicationLabel, what: "another label")
        {
            $0.environment = directory([entry(tlv(.adfName, visaName), tlv(.applicationLabel, Array("OTHER".utf8)))])
        },
        Case(.visa, .noApplication, tag: nil, what: "no application behind the directory") { $0.applications = [] },
    ]

    // MARK: The applications

    static let applications: [Case] = [
        Case(.visa, .applicationNotSelectable, tag: nil, what: "SW 6A82") {
            $0.applications[0].fci = CardImage.Answer([], .fileNotFound)
        },
        Case(.visa, .fciObjectMissing, tag: .dfName, what: "an FCI without its name") {
            $0.applications[0].fci.replace(.dfName, with: nil)
        },
        Case(.visa, .listLacks, tag: .pdol, what: "a PDOL without TTQ") {
            $0.applications[0].fci.replace(.pdol, with: [0x9F, 0x37, 0x04])
        },
        Case(.visa, .listLacks, tag: .pdol, what: "no PDOL") { $0.applications[0].fci.replace(.pdol, with: nil) },
        Case(.visa, .optionsRefused, tag: nil, what: "SW 6985") {
            $0.applications[0].options = CardImage.Answer([], .conditionsNotSatisfied)
        },
        Case(.visa, .mandatoryObjectMissing, tag: .applicationInterchangeProfile, what: "no AIP") {
            $0.applications[0].options?.replace(.applicationInterchangeProfile, with: nil)
        },
        Case(.visa, .mandatoryObjectMissing, tag: .applicationCryptogram, what: "no cryptogram") {
            $0.applications[0].options?.replace(.applicationCryptogram, with: nil)
        },
        Case(.visa, .mandatoryObjectMissing, tag: .issuerApplicationData, what: "no issuer application data") {
            $0.applications[0].options?.replace(.issuerApplicationData, with: nil)
        },
        Case(.visa, .mandatoryObjectMissing, tag: .track2EquivalentData, what: "neither PAN nor track") {
            $0.applications[0].options?.replace(.track2EquivalentData, with: nil)
            $0.applications[0].records = []
        },
        Case(.visa, .mandatoryObjectMissing, tag: .applicationTransactionCounter, what: "a format 1") {
            $0.applications[0].options = CardImage.Answer([0x80, 0x02, 0x20, 0x00])
        },
        Case(.visa, .duplicateObject, tag: .applicationCryptogram, what: "a second cryptogram in a record") {
            $0.applications[0].records.append(
                CardImage.Record(
                    RecordNumber(sfi: 1, number: 9),
                    CardImage.Answer(tlv(.recordTemplate, tlv(.applicationCryptogram, [1, 2, 3, 4, 5, 6, 7, 8])))))
        },
        Case(.visa, .objectLength, tag: .cardTransactionQualifiers, what: "CTQ of one byte") {
            $0.applications[0].options?.replace(.cardTransactionQualifiers, with: [0x00])
        },
        Case(
            .visa, .misplacedObject, severity: .warning, tag: .terminalTransactionQualifiers, what: "TTQ from the card"
        ) {
            $0.applications[0].options?.replace(
                .cardTransactionQualifiers, as: .terminalTransactionQualifiers, with: [0, 0, 0, 0])
        },
        Case(.mastercard, .mandatoryObjectMissing, tag: .cdol1, what: "no CDOL1") {
            $0.applications[0].replaceInRecords(.cdol1, with: nil)
        },
        Case(.mastercard, .verificationListMalformed, tag: .cvmList, what: "a CVM list of 9 bytes") {
            $0.applications[0].replaceInRecords(.cvmList, with: Array(repeating: 0, count: 9))
        },
        Case(.mastercard, .expired, severity: .warning, tag: .applicationExpirationDate, what: "an expired card") {
            $0.applications[0].replaceInRecords(.applicationExpirationDate, with: [0x20, 0x01, 0x31])
        },
        Case(.mastercard, .certificate, tag: .iccPublicKeyCertificate, what: "a damaged certificate") { image in
            let certificate = image.applications[0].records.lazy.compactMap {
                (try? DataElements(parsing: $0.answer.data))?[.iccPublicKeyCertificate]
            }
            .first
            image.applications[0].replaceInRecords(
                .iccPublicKeyCertificate, with: certificate.map { [$0[0] ^ 1] + $0.dropFirst() })
        },
        Case(.magstripe, .mandatoryObjectMissing, tag: .track2DataContactless, what: "no track 2") {
            $0.applications[0].replaceInRecords(.track2DataContactless, with: nil)
        },
        Case(.kernel8, .objectLength, tag: .cardQualifier, what: "a qualifier of 6 bytes") {
            $0.applications[0].fci.replace(.cardQualifier, with: [2, 0, 0, 0, 0, 0])
        },
        Case(.kernel8, .objectFormat, tag: .cardQualifier, what: "version 0") {
            $0.applications[0].fci.replace(.cardQualifier, with: [0, 0, 0, 0, 0, 0, 0])
        },
    ]

    // MARK: What is asked

    @Test("The directory first; no GENERATE AC, GET DATA or INTERNAL AUTHENTICATE; of kernel 8 nothing after SELECT")
    func commands()
        async throws
    {
        for (profile, expected) in [
            (Self.mastercard(.emv), Set<Instruction>([.select, .readRecord, .getProcessingOptions])),
            (.kernel8Style(), [.select]),
        ] {
            let card = WatchedCard(VirtualCard(try PersonalizedCard.make(profile), interface: .contactless))
            var image = CardImage(interface: .contactless)
            try await image.read(card, names: [], terminal: terminalData)
            #expect(card.commands.first?.data == Array("2PAY.SYS.DDF01".utf8))
            #expect(Set(card.commands.compactMap(\.instruction)) == expected)
            #expect(image.applications.count == 1)
        }
    }

    /// An AID that the directory has not is found only by its name.
    @Test func namesBesideTheDirectory() async throws {
        let card = VirtualCard(try PersonalizedCard.make(Self.mastercard(.emv)), interface: .contactless)
        var image = CardImage(interface: .contactless)
        try await image.read(card, names: [Self.visaName, [0xA0, 0, 0, 0, 0x04, 0x10, 0x10]], terminal: terminalData)
        #expect(image.applications.map(\.name) == [[0xA0, 0, 0, 0, 0x04, 0x10, 0x10]])
    }

    // MARK: The cards of Vectors/cards/contactless

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Vectors/cards/contactless")

    private static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return (files ?? []).filter { $0.hasSuffix(".json") && !$0.hasPrefix("hostile-") }.sorted()
    }()

    /// What is odd about these is what they are for. The faults of the others are not applied here.
    private static let odd: [String: Set<CardFinding.Kind>] = [
        "visa-phone-locked.json": [.optionsRefused], "amex-phone-locked.json": [.optionsRefused],
        "unionpay-phone-locked.json": [.optionsRefused],
    ]

    @Test(arguments: names) func cardsOfTheBench(_ name: String) async throws {
        let file = try CardProfileFile(parsing: String(contentsOf: Self.folder.appending(path: name), encoding: .utf8))
        let card = try await ReadCard(file.profile, interface: .contactless)
        let grave = card.findings().filter { $0.severity > .remark }
        #expect(Set(grave.map(\.kind)) == Self.odd[name, default: []], "\(grave.map { "\($0.place): \($0.summary)" })")
    }
}

extension CardImage.Answer {
    /// Replaces the data object at any depth, or takes it out.
    fileprivate mutating func replace(_ tag: TLV.Tag, as other: TLV.Tag? = nil, with value: [UInt8]?) {
        data = Self.replaced(data, tag, as: other ?? tag, with: value)
    }

    private static func replaced(_ bytes: [UInt8], _ tag: TLV.Tag, as other: TLV.Tag, with value: [UInt8]?) -> [UInt8] {
        var walker = TLVWalker()
        var result: [UInt8] = []
        while let node = try? walker.next(in: bytes.span) {
            guard node.depth == 0 else { continue }
            if node.tag == tag {
                if let value { result += tlv(other, value) }
            } else {
                let contents = Array(bytes[node.value])
                result += tlv(
                    node.tag, node.tag.isConstructed ? replaced(contents, tag, as: other, with: value) : contents)
            }
        }
        return result
    }
}

extension CardImage.Application {
    fileprivate mutating func replaceInRecords(_ tag: TLV.Tag, with value: [UInt8]?) {
        for index in records.indices { records[index].answer.replace(tag, with: value) }
    }
}
