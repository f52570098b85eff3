import BenchHost
import CardCapture
import CardCryptography
import CardProfiles
import CardReaders
import EMVKernel
import Reports
import SmartCard
import Synchronization
import TLV
import VirtualCard

/// Runs the cases of a plan, one after the other.
actor PlanRun {
    private let place: ReaderPlace?
    private let cardTime: Duration
    private var personalizers: [(sizes: RSAKeySizes, maker: CardPersonalizer)] = []
    private var slot: (any CardSlot)?

    /// - Parameters:
    ///   - place: The reader for cases with a card in a reader; nil for none.
    ///   - cardTime: The time limit for a card in a reader.
    init(_ place: ReaderPlace?, cardTime: Duration) {
        self.place = place
        self.cardTime = cardTime
    }

    /// The result of a case, and its conversation.
    func run(_ test: TestCase) async -> (result: PlanReport.Result, trace: APDUTrace?) {
        let notes = Notes()
        do {
            if test.interface == .contactless, case .virtual(let file) = test.card {
                return try await tap(test, file, notes)
            }
            guard let card = try await card(of: test, notes) else {
                return (.notRun("no reader for its card: give one with --reader"), nil)
            }
            let configuration = PlanTerminal.configuration(test, versions: card.versions, caKeys: card.caKeys)
            let request = PlanTerminal.request(test)
            let method = Mutex<CardExpectation.DataAuthentication?>(nil)
            let outcome = await ContactKernel(configuration).perform(
                request, card: card.channel, cardholder: try PlanCardholder(test), issuer: card.issuer,
                environment: PlanEnvironment(
                    percentage: test.terminal.percentage ?? 99,
                    isOnExceptionFile: test.terminal.hasCardOnExceptionFile ?? false)
            ) { event in
                if case .dataAuthentication(let chosen, _) = event { method.withLock { $0 = .init(chosen) } }
                notes.add(.decision(APDUTrace.Decision(phase: event.phase.rawValue, summary: event.summary)))
            }
            if case .inReader = test.card { await slot?.powerOff() }
            let differences = PlanJudgement.differences(test.expectation, outcome, method: method.withLock(\.self))
            let trace = APDUTrace(metadata: [("title", test.name), ("reason", test.clause)], entries: notes.entries)
            return (differences.isEmpty ? .passed : .failed(differences), trace)
        } catch {
            return (.broken(Masking.text("\(error)")), notes.entries.isEmpty ? nil : APDUTrace(entries: notes.entries))
        }
    }

    private func tap(
        _ test: TestCase, _ file: CardProfileFile, _ notes: Notes
    ) async throws -> (result: PlanReport.Result, trace: APDUTrace?) {
        let card = try personalizer(file.profile.keySizes).personalize(file.profile)
        let clock = VirtualReaderClock()
        let faulty = FaultyCard(VirtualCard(card, interface: .contactless), file.faults) { await clock.wait($0) }
        let outcome = try await PlanTap.run(
            test, file.profile, card: recorded(faulty, notes), timing: clock.timing, caKeys: card.caPublicKeys)
        let differences = PlanJudgement.differences(test.expectation, outcome)
        let trace = APDUTrace(metadata: [("title", test.name), ("reason", test.clause)], entries: notes.entries)
        return (differences.isEmpty ? .passed : .failed(differences), trace)
    }

    // MARK: Cards

    private struct PlacedCard {
        let channel: any CardChannel
        let caKeys: [CAPublicKey]
        let versions: [UInt16]
        let issuer: any OnlineAuthorizer
    }

    /// Nil for a card in a reader if the run has no reader.
    private func card(of test: TestCase, _ notes: Notes) async throws -> PlacedCard? {
        switch test.card {
        case .virtual(let file):
            let card = try personalizer(file.profile.keySizes).personalize(file.profile)
            return PlacedCard(
                channel: recorded(ProcedureByteHandling(FaultyCard(VirtualCard(card), file.faults)), notes),
                caKeys: card.caPublicKeys, versions: [file.profile.versionNumber],
                issuer: try PlanIssuer(test, file.profile))
        case .inReader:
            guard let place else { return nil }
            let slot = try await openSlot(place)
            let channel = try await powerOn(slot)
            return PlacedCard(
                channel: recorded(channel, notes), caKeys: place.caKeys, versions: [0x0096, 0x008C, 0x0002],
                issuer: PlanIssuer(of: test))
        }
    }

    private func openSlot(_ place: ReaderPlace) async throws -> any CardSlot {
        if let slot { return slot }
        let opened = try await place.chipSlot()
        slot = opened
        return opened
    }

    private func powerOn(_ slot: any CardSlot) async throws -> any CardChannel {
        let limit = cardTime
        return try await withThrowingTaskGroup(of: (any CardChannel)?.self) { group in
            group.addTask { try await slot.powerOn() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let channel = try await group.next() ?? nil else {
                throw PlanError("no card was inserted within \(limit)")
            }
            return channel
        }
    }

    private func recorded(_ channel: any CardChannel, _ notes: Notes) -> any CardChannel {
        notes.add(.reader(.cardPresented))
        return RecordingChannel(channel) { command, error in
            notes.add(.unanswered(command))
            notes.add(.reader(APDUTrace.ReaderEvent(error)))
        } record: {
            notes.add(.exchange($0))
        }
    }

    /// One for each length of keys, because generating keys takes longer than everything else.
    private func personalizer(_ sizes: RSAKeySizes) throws -> CardPersonalizer {
        if let known = personalizers.first(where: { $0.sizes == sizes }) { return known.maker }
        let maker = try CardPersonalizer(sizes)
        personalizers.append((sizes, maker))
        return maker
    }

    private final class Notes: Sendable {
        private let taken = Mutex<[APDUTrace.Entry]>([])
        var entries: [APDUTrace.Entry] { taken.withLock(\.self) }
        func add(_ event: APDUTrace.Event) { taken.withLock { $0.append(APDUTrace.Entry(event)) } }
    }
}

struct PlanEnvironment: EMVEnvironment {
    let percentage: Int
    let isOnExceptionFile: Bool
    func unpredictableNumber() -> [UInt8] { SecureRandom.bytes(4) }
    func randomPercentage() -> Int { percentage }
    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool { isOnExceptionFile }
}

struct PlanError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
