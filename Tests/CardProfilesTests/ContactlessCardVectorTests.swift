import CardCapture
import CardProfiles
import CardReaders
import Contactless
import EMVKernel
import Foundation
import KernelDoubles
import Kernels
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

/// Every card of Vectors/cards/contactless at the contactless reader that docs/card-profile.md
/// describes: what comes of it stands in the file.
@Suite struct ContactlessCardVectorTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors/cards/contactless")
    static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    @Test func thereAreSome() { #expect(Self.names.count >= 50) }

    @Test(arguments: names) func endsAsExpected(_ name: String) async throws {
        let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let file = try CardProfileFile(parsing: text)
        #expect(try CardProfileFile(parsing: file.json) == file)
        #expect(file.reason != nil)
        let expectation = try #require(file.expectation)
        let card = try PersonalizedCard.make(file.profile)
        let limits = TransactionLimits(transactionLimit: 250_01, floorLimit: 25_00, cvmRequiredLimit: 50_00)
        var combination = Combination.visa(limits: limits)
        combination.qualifiers?.insert(.issuerUpdateProcessing)
        let relayResistance = RelayResistanceLimits()
        let combinations = [
            combination, .mastercard(limits: limits, relayResistance: relayResistance),
            .americanExpress(limits: limits),
            .unionPay(limits: limits),
            .kernel8(
                aid: [0xF0, 0x00, 0x00, 0x00, 0x01, 0x00, 0x08], limits: limits, relayResistance: relayResistance),
        ]
        // Moved by what lasts.
        let time = Mutex(Duration.zero)
        let terminal = TerminalConfiguration.attended(countryCode: 840, applications: [], caKeys: card.caPublicKeys)
        let reader = ContactlessReader(
            slot: VirtualReader(
                card: FaultyCard(VirtualCard(card, interface: .contactless), file.faults) { milliseconds in
                    time.withLock { $0 += .milliseconds(milliseconds) }
                }, interface: .contactless),
            configuration: EntryPointConfiguration(terminal: terminal, combinations: combinations),
            cardholder: FirstChoice(),
            clock: { Timestamp(secondsSince1970: 1_773_057_600) },
            timing: .init(uptime: { time.withLock { $0 } }, pause: { _ in }))
        let request = CaptureRequest(amount: expectation.amount, currencyCode: 840, sequenceCounter: 1)
        let asked = Mutex(0)
        let outcome = try await reader.capture(request) { _ in
            asked.withLock { $0 += 1 }
            return .answered(.init(responseCode: "00", issuerAuthenticationData: [1, 2, 3, 4, 5, 6, 7, 8]))
        }
        #expect(asked.withLock { $0 } == (expectation.verdict == .approvedOnline ? 1 : 0))
        switch (expectation.verdict, outcome.decision) {
        case (.approvedOffline, .approvedOffline), (.approvedOnline, .approvedOnline),
            (.declinedOffline, .declinedOffline):
            break
        case (.terminated, .notPossible(let obstacle)):
            let expected = try #require(expectation.termination)
            #expect(obstacle.description.contains(expected))
        default: Issue.record("\(outcome.decision) is not \(expectation.verdict)")
        }
    }
}
