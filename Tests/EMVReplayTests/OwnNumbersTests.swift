import Bytes
import CardCryptography
import EMVKernel
import EMVReplay
import KernelDoubles
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

/// Terminals that draw a new unpredictable number for each command, and logs that lack what a proof
/// needs.
@Suite struct OwnNumbersTests {
    private static let aid: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]

    /// A transaction of the virtual card under a terminal with a number for each use, recorded.
    private func record(_ change: (inout CardProfile) -> Void) async throws -> (APDUTrace, PersonalizedCard, Outcome) {
        var profile = CardProfile.visaStyle()
        profile.pdol = DOL(entries: [DOL.Entry(.amountAuthorised, 6), DOL.Entry(.unpredictableNumber, 4)])
        change(&profile)
        let card = try PersonalizedCard.make(profile)
        let configuration = TerminalConfiguration(
            capabilities: [.contactChip, .noCVM, .sda, .dda, .cda], additionalCapabilities: [.goods, .services],
            countryCode: 276,
            applications: [ApplicationConfiguration(aid: Self.aid, versions: [0x0096])], caKeys: card.caPublicKeys)
        let recorded = Exchanges()
        let outcome = await ContactKernel(configuration).perform(
            TransactionRequest(amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0, 0]),
            card: RecordingChannel(VirtualCard(card)) { recorded.append($0) }, cardholder: FirstChoice(),
            issuer: FixedIssuer.approving,
            environment: FreshNumbers())
        var writer = APDUTraceWriter(.testCard)
        return (try APDUTrace(parsing: recorded.kept.withLock { $0 }.map { writer.lines($0) }.joined()), card, outcome)
    }

    @Test(arguments: [true, false]) func eachCommandGetsTheNumberThatTheLogGaveIt(_ isDDA: Bool) async throws {
        let (trace, card, live) = try await record { if isDDA { $0.interchangeProfile.remove(.cdaSupported) } }
        let numbers = Set(
            trace.exchanges.filter { $0.command.instruction == .generateAC }.map { Array($0.command.data.suffix(12)) })
        #expect(numbers.count == 2)
        #expect(live.decision == .approved(.online))
        let report = try await Replay.run(trace, caKeys: card.caPublicKeys)
        #expect(report.changes(.bytes) == [], "\(report.steps.filter { $0.verdict != .same }.map { "\($0.verdict)" })")
        #expect(report.outcome?.tvr == live.tvr)
        #expect(report.outcome?.decision == live.decision)
        #expect(report.notChecked.isEmpty)
        let evidence = Evidence.examine(trace, caKeys: card.caPublicKeys)
        #expect(evidence.contains { $0.subject == (isDDA ? "DDA" : "CDA, second GENERATE AC") })
        #expect(evidence.filter { $0.kind == .dataAuthentication }.allSatisfy { $0.isVerified })
    }

    /// The same logs without the authority's key: nothing is proved, nothing is disproved, and all
    /// else is the same.
    @Test(arguments: [true, false]) func withoutTheKeyNothingIsDisproved(_ isDDA: Bool) async throws {
        let (trace, _, live) = try await record { if isDDA { $0.interchangeProfile.remove(.cdaSupported) } }
        let report = try await Replay.run(trace, caKeys: [])
        #expect(report.changes(.bytes) == [])
        #expect(report.outcome?.tvr == live.tvr)
        #expect(report.notChecked.count == 1)
        let evidence = Evidence.examine(trace, caKeys: [])
        #expect(evidence.contains { $0.subject == (isDDA ? "DDA" : "CDA, second GENERATE AC") })
        #expect(evidence.allSatisfy { !$0.isVerified && !$0.isDisproved })
        #expect(evidence.first?.detail.contains("--ca-keys") == true)
    }

    /// A log that ends before the cryptogram shows no TVR: without the key its data authentication
    /// is not called failed.
    @Test func aLogWithoutATVRIsNotDisproved() async throws {
        var (trace, card, _) = try await record { $0.interchangeProfile.remove(.cdaSupported) }
        let end = try #require(
            trace.entries.firstIndex { entry in
                if case .exchange(let exchange) = entry.event {
                    exchange.command.instruction == .generateAC
                } else {
                    false
                }
            })
        trace.entries.removeSubrange(end...)
        #expect(try await Replay.run(trace, caKeys: card.caPublicKeys).notChecked.isEmpty)
        let report = try await Replay.run(trace, caKeys: [])
        #expect(report.notChecked.count == 1)
        #expect(report.outcome?.tvr.contains(.ddaFailed) == false)
    }

    /// Tag 93 of a card whose AIP has no SDA is not what the card is judged by.
    @Test(arguments: [true, false]) func staticSignaturesCountWhereTheAIPHasSDA(_ hasSDA: Bool) async throws {
        var (trace, card, _) = try await record { if !hasSDA { $0.interchangeProfile.remove(.sdaSupported) } }
        let index = try #require(
            trace.entries.firstIndex { entry in
                if case .exchange(let exchange) = entry.event { exchange.command.data == Self.aid } else { false }
            })
        guard case .exchange(let selection) = trace.entries[index].event else { return }
        let signature = tlv(.signedStaticApplicationData, [UInt8](repeating: 0x55, count: 128))
        trace.entries[index] = APDUTrace.Entry(
            line: selection.line,
            .exchange(
                .init(
                    line: selection.line, command: selection.command,
                    response: ResponseAPDU(selection.response.data + signature, status: .success))))
        let wrong = Evidence.examine(trace, caKeys: card.caPublicKeys).filter(\.isDisproved).map(\.subject)
        // The signature in the card's record comes later and counts where the card has one.
        #expect(wrong.isEmpty || hasSDA)
        #expect(Evidence.examine(trace, caKeys: card.caPublicKeys).contains { $0.subject == "SDA" } == hasSDA)
    }

    /// A signed record that was not written down is a gap in the log and no fault of the card's.
    @Test func aMissingRecordIsNotAWrongCertificate() async throws {
        var (trace, card, _) = try await record { _ in }
        let afl = try #require(
            trace.exchanges.compactMap { try? DataElements(parsing: $0.response.data)[.applicationFileLocator] }.last)
        let entry = try #require(ApplicationFileLocator(afl)?.entries.first { $0.authenticatedCount > 0 })
        let header = CommandAPDU.readRecord(entry.records.lowerBound, sfi: entry.sfi).header
        trace.entries.removeAll { entry in
            if case .exchange(let exchange) = entry.event { exchange.command.header == header } else { false }
        }
        let evidence = Evidence.examine(trace, caKeys: card.caPublicKeys)
        #expect(!evidence.contains { $0.isDisproved }, "\(evidence)")
    }
}

private final class Exchanges: Sendable {
    let kept = Mutex<[APDUTrace.Exchange]>([])
    func append(_ exchange: APDUTrace.Exchange) { kept.withLock { $0.append(exchange) } }
}

/// A number of its own for each command.
private struct FreshNumbers: EMVEnvironment {
    func unpredictableNumber() -> [UInt8] { [0x11, 0x22, 0x33, 0x44] }
    func randomPercentage() -> Int { 50 }

    func values(for use: CardListUse) -> DataElements {
        var values = DataElements()
        let first: UInt8 =
            switch use {
            case .processingOptions: 0xA1
            case .internalAuthenticate: 0xB2
            case .firstCryptogram: 0xC3
            case .secondCryptogram: 0xD4
            case .checksum: 0xE5
            }
        values.append(.unpredictableNumber, [first, 0x22, 0x33, 0x44])
        return values
    }
}
