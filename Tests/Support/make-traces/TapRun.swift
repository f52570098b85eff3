import Bytes
import CardCryptography
import Contactless
import EMVKernel
import EMVReplay
import SmartCard
import TLV
import VirtualCard

/// Runs a contactless case and records everything.
struct TapRun {
    let trace: APDUTrace
    let summary: String

    init(_ example: TapCase, on bench: CardPersonalizer) async throws {
        let card = try bench.personalize(example.profile)
        let keys = RecordedChannelKeys()
        let reader = example.reader(caKeys: card.caPublicKeys, keys: keys)
        var field = Field(card, example)
        var entryPoint = EntryPoint(
            reader, request: example.request, environment: CaseEnvironment(percentage: 99, isOnExceptionFile: false))
        let outcome = await field.run(&entryPoint, entryPoint.start())
        if let answer = example.issuerUpdate, let step = entryPoint.resume(with: answer) {
            field.limit += example.presentations
            _ = await field.run(&entryPoint, step)
        }
        summary = outcome.summary
        let combination = reader.combinations.first { $0.matches(example.profile.applications[0].aid) }
        let terminal = RecordedTerminal(reader, request: example.request, application: combination?.aid)
        trace = APDUTrace(
            metadata: [
                ("title", "Regression suite: \(example.name)"), ("reason", example.reason), ("expect", example.expect),
            ] + Self.keys(example, keys) + terminal.metadata, entries: field.entries)
    }

    /// The cryptogram of kernel 8 is over data that are in no answer, so that a log does not prove
    /// it.
    private static func keys(_ example: TapCase, _ drawn: RecordedChannelKeys) -> [(name: String, value: String)] {
        guard !example.isKernel8 else { return drawn.metadata }
        return [("issuer-master-key", example.profile.issuerMasterKeys.applicationCryptogram.bytes.revealed().hex)]
    }
}

/// The field with the card of a case.
private struct Field {
    private let notes = Notes()
    private let card: VirtualCard
    private let channel: RecordingChannel
    private var presentations = 0
    /// How often the card is presented, at most.
    var limit: Int

    init(_ card: PersonalizedCard, _ example: TapCase) {
        let notes = notes
        self.card = VirtualCard(card, interface: .contactless)
        limit = example.presentations
        channel = RecordingChannel(FaultyCard(self.card, example.faults)) { command, error in
            notes.add(.unanswered(command))
            notes.add(.reader(APDUTrace.ReaderEvent(error)))
        } record: {
            notes.add(.exchange($0))
        }
    }

    /// With a verdict for each presentation, if there were several.
    var entries: [APDUTrace.Entry] {
        guard presentations == 1 else { return notes.entries }
        return notes.entries.filter { if case .decision = $0.event { false } else { true } }
    }

    private func note(_ outcome: ContactlessOutcome) {
        notes.add(.decision(APDUTrace.Decision(phase: APDUTrace.Decision.presentationPhase, summary: outcome.summary)))
    }

    /// Until Entry Point ends, or the card does not come back.
    mutating func run(_ entryPoint: inout EntryPoint, _ first: EntryPoint.Step) async -> ContactlessOutcome {
        var step = first
        var isPresented = false
        while true {
            switch step.action {
            case .poll:
                if isPresented, let restart = entryPoint.restart { note(restart) }
                guard presentations < limit else {
                    return entryPoint.restart ?? ContactlessOutcome(.tryAgain, start: .b)
                }
                presentations += 1
                isPresented = true
                await card.reset()
                notes.add(.reader(.cardPresented))
                step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                do throws(CardChannelError) {
                    step = entryPoint.next(.answered(try await channel.transmit(command), after: .zero))
                } catch {
                    step = entryPoint.next(.failed(error))
                }
            case .end(let outcome):
                note(outcome)
                return outcome
            }
        }
    }
}
