import Bytes
import CardInspection
import CardModels
import CardProfiles
import Foundation
import SmartCard
import TLV
import Testing
import VirtualCard

/// What is read of a card, and what is not asked of it.
@Suite("What an inspection reads of a card, and what it does not ask") struct ReadingTests {
    @Test func noCryptogramNoPINNoScript() async throws {
        let card = WatchedCard(VirtualCard(try PersonalizedCard.make(.visaStyle())))
        var image = CardImage()
        try await image.read(card, names: [], terminal: terminalData)
        let instructions = Set(card.commands.compactMap(\.instruction))
        #expect(instructions == [.select, .readRecord, .getProcessingOptions, .getData, .internalAuthenticate])
        #expect(card.commands.count { $0.instruction == .getProcessingOptions } == 1)
    }

    @Test func withoutADirectory() async throws {
        var profile = CardProfile.visaStyle()
        profile.hasPaymentSystemEnvironment = false
        let names: [[UInt8]] = [[0xA0, 0, 0, 0, 0x04, 0x10, 0x10], [0xA0, 0, 0, 0, 0x03]]
        let card = try await ReadCard(profile, names: names)
        // The card's own name, where the beginning of it was asked for.
        #expect(card.image.applications.map(\.name) == [[0xA0, 0, 0, 0, 0x03, 0x10, 0x10]])
        #expect(card.findings() == [])
        #expect(try await ReadCard(profile).findings().map(\.kind) == [.noApplication])
    }

    @Test func nothingOfTheCardIsInADescription() async throws {
        let image = try await ReadCard.visa.value.image
        for text in ["\(image)", String(reflecting: image)] {
            #expect(!text.contains("4761"))
            #expect(text.contains("1 application, 8 records"))
        }
    }

    @Test func aCardThatIsTakenAway() async throws {
        let card = FaultyCard(VirtualCard(try PersonalizedCard.make(.visaStyle())), CardFault(.removal, at: .step(4)))
        await #expect(throws: CardChannelError.cardRemoved) {
            var image = CardImage()
            try await image.read(card, names: [], terminal: terminalData)
        }
    }

    // MARK: The cards of Vectors/cards

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Vectors/cards")

    private static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return (files ?? []).filter { $0.hasSuffix(".json") && !$0.hasPrefix("hostile-") }.sorted()
    }()

    /// What is odd about these is what they are for; the others are as cards should be, remarks
    /// left aside.
    private static let odd: [String: Set<CardFinding.Kind>] = [
        "blocked-application.json": [.applicationBlocked],
        "blocked-card.json": [.environmentMalformed, .noApplication],
        "expired.json": [.expired, .certificate], "not-yet-effective.json": [.notYetEffective],
        "several-applications.json": [.applicationBlocked],
    ]

    @Test(arguments: names) func cardsOfTheBench(_ name: String) async throws {
        let file = try CardProfileFile(parsing: String(contentsOf: Self.folder.appending(path: name), encoding: .utf8))
        let card = try await ReadCard(file.profile, names: file.profile.applications.map(\.aid))
        let grave = card.findings().filter { $0.severity > .remark }
        #expect(Set(grave.map(\.kind)) == Self.odd[name, default: []], "\(grave.map { "\($0.place): \($0.summary)" })")
    }
}
