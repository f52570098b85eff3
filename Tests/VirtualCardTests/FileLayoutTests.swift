import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// Where a card's data objects stand is the issuer's to choose (EMV 4.4 Book 3, 5.3 and 10.2); what
/// is signed follows the AFL (10.3).
@Suite struct FileLayoutTests {
    private static let account: [TLV.Tag] = [0x5A, 0x5F34, 0x5F24, 0x5F25, 0x5F28, 0x5F30, 0x9F42, 0x9F44]
    private static let rules: [TLV.Tag] = [0x9F07, 0x9F08, 0x8E, 0x9F0E, 0x9F0F, 0x9F0D]
    private static let lists: [TLV.Tag] = [0x8C, 0x8D, 0x9F4A]
    private static let issuerKey: [[TLV.Tag]] = [[0x8F, 0x9F32, 0x92], [0x90]]
    private static let cardKey: [[TLV.Tag]] = [[0x9F47, 0x9F48, 0x9F49], [0x9F46]]

    private static let layouts: [CardFileLayout] = [
        // Everything that is signed in three files, with a file of keys between them.
        CardFileLayout([
            .init(sfi: 3, [account], authenticated: 1), .init(sfi: 2, issuerKey + cardKey + [[0x93]]),
            .init(sfi: 1, [rules, [0x57, 0x5F20]], authenticated: 1), .init(sfi: 4, [lists], authenticated: 1),
        ]),
        // Files 11 to 30 hold what no transaction needs; their records are signed with template and
        // length.
        CardFileLayout([
            .init(sfi: 12, [[0x5F20], [0x57]], authenticated: 2), .init(sfi: 2, issuerKey + cardKey + [[0x93]]),
            .init(sfi: 30, [[0x5F30]], authenticated: 1),
            .init(sfi: 10, [account.filter { $0 != 0x5F30 } + rules, lists], authenticated: 2),
        ]),
        // Two entries for one file: signed records, other files, and on with record 2.
        CardFileLayout([
            .init(sfi: 5, [account, rules], authenticated: 1), .init(sfi: 6, issuerKey),
            .init(sfi: 5, [lists, [0x57], [0x93]], authenticated: 1),
            .init(sfi: 7, cardKey),
        ]),
        // Nothing is signed but the AIP, by the tag list.
        CardFileLayout([.init(sfi: 1, [account, rules, lists]), .init(sfi: 2, issuerKey + cardKey + [[0x93]])]),
    ]

    @Test(
        "Every layout of files authenticates by every method", arguments: layouts,
        [(TerminalCapabilities.sda, DataAuthenticationMethod.sda), (.dda, .dda), (.cda, .cda)])
    func authenticates(_ layout: CardFileLayout, _ method: (TerminalCapabilities, DataAuthenticationMethod))
        async throws
    {
        let card = try PersonalizedCard.shared { $0.fileLayout = layout }
        var bench = Bench(card)
        bench.configuration.capabilities.subtract([.sda, .dda, .cda])
        bench.configuration.capabilities.insert(method.0)
        let (outcome, events) = await bench.run(VirtualCard(card))
        #expect(outcome.decision == .approved(.offline))
        #expect(events.contains(.dataAuthentication(method.1, nil)))
        #expect(outcome.tvr == (method.1 == .sda ? .sdaSelected : []))
    }

    @Test("XDA certifies the records that the AFL names too (EMV 4.4 Book 2, 12.1 and 12.4)")
    func extendedDataAuthentication() async throws {
        var profile = CardProfile.ellipticCurveStyle()
        profile.fileLayout = CardFileLayout([
            .init(sfi: 15, [[0x5F20]], authenticated: 1), .init(sfi: 2, [[0x8F], [0x90], [0x9F46], [0x9F2D]]),
            .init(sfi: 1, [Self.account, Self.rules, Self.lists], authenticated: 3),
        ])
        let card = try personalize(profile)
        var bench = Bench(card)
        bench.configuration.capabilities.insert(.xda)
        let outcome = await bench.run(VirtualCard(card)).outcome
        #expect(outcome.decision == .approved(.offline))
        #expect(outcome.tvr == .xdaSelected)
    }

    @Test("The locator's bytes by hand: SFI in bits 8–4, first and last record, records signed (Book 3, 10.2)")
    func locator() async throws {
        let card = VirtualCard(try .shared { $0.fileLayout = Self.layouts[2] })
        _ = try await card.transmit(.select([0xA0, 0, 0, 0, 0x03, 0x10, 0x10]))
        let answer = try await card.transmit(.getProcessingOptions([0x83, 0x00]))
        let locator: [UInt8] = [0x28, 1, 2, 1, 0x30, 1, 2, 0, 0x28, 3, 5, 1, 0x38, 1, 2, 0]
        #expect(try DataElements(parsing: answer.data)[.applicationFileLocator] == locator)
    }

    @Test(
        "A record that is changed after the card was signed is found out where it is signed, and only there",
        arguments: [false, true])
    func whatIsSigned(_ isSigned: Bool) async throws {
        let card = try PersonalizedCard.shared {
            $0.hasPaymentSystemEnvironment = false
            $0.fileLayout = CardFileLayout([
                .init(sfi: 1, [[0x5F20]], authenticated: isSigned ? 1 : 0),
                .init(
                    sfi: 2, [Self.account, Self.rules, Self.lists] + Self.issuerKey + Self.cardKey, authenticated: 2),
            ])
        }
        var bench = Bench(card)
        bench.configuration.capabilities.subtract([.sda, .cda])
        // The last of 2 bytes of the template's head, 3 of the name's and 15 of TEST/CARDHOLDER.
        let fault = CardFault(.corruption(index: 19, mask: 0x01), at: .command(.readRecord, occurrence: 1))
        let outcome = await bench.run(FaultyCard(VirtualCard(card), fault)).outcome
        #expect(outcome.tvr.contains(.ddaFailed) == isSigned)
        #expect(outcome.tsi.contains(.offlineDataAuthentication))
    }

    @Test func refusesWhatNoAFLCanSay() {
        typealias File = CardFileLayout.File
        let cases: [([File], CardFileLayout.Problem)] = [
            ([], .numberOfFiles(0)), ([File](repeating: File(sfi: 1, [[0x5A]]), count: 64), .numberOfFiles(64)),
            ([File(sfi: 0, [[0x5A]])], .fileIdentifier(0)), ([File(sfi: 31, [[0x5A]])], .fileIdentifier(31)),
            ([File(sfi: 1, [])], .numberOfRecords(sfi: 1)),
            (
                [
                    File(sfi: 1, [[TLV.Tag]](repeating: [], count: 200)),
                    File(sfi: 1, [[TLV.Tag]](repeating: [], count: 56)),
                ],
                .numberOfRecords(sfi: 1)
            ),
            ([File(sfi: 1, [[0x5A]], authenticated: 2)], .authenticatedRecords(sfi: 1)),
            ([File(sfi: 1, [[0x9F02]])], .unknown(0x9F02)),
            ([File(sfi: 1, [[0x5A, 0x90]], authenticated: 1)], .signed(0x90)),
            ([File(sfi: 1, [[0x90, 0x9F46]])], .recordLength(sfi: 1, number: 1)),
        ]
        for (files, problem) in cases {
            #expect(throws: PersonalizationError.layout(problem)) {
                try PersonalizedCard.shared { $0.fileLayout = CardFileLayout(files) }
            }
        }
        #expect(throws: PersonalizationError.layout(.fileIdentifier(11))) {
            try PersonalizedCard.shared {
                $0.logFormat = DOL(entries: [DOL.Entry(.amountAuthorised, 6)])
                $0.fileLayout = CardFileLayout([File(sfi: 11, [[0x5A]])])
            }
        }
    }
}
