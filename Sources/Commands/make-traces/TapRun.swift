import Bytes
import CardCryptography
import Contactless
import EMVKernel
import EMVReplay
import EntryPoint
import SmartCard
import TLV
import VirtualCard

/// Runs a contactless case and records everything.
struct TapRun {
    let trace: APDUTrace
    let summary: String

    init(_ example: TapCase, on bench: CardPersonalizer) async throws {
        let card = try bench.personalize(example.profile)
        let reader = example.reader(caKeys: card.caPublicKeys)
        var field = Field(card, example)
        var entryPoint = EntryPoint(
            reader, request: example.request, environment: CaseEnvironment(percentage: 99, isOnExceptionFile: false))
        let outcome = await field.run(&entryPoint, entryPoint.start())
        if let answer = example.issuerUpdate, let step = entryPoint.resume(with: answer) {
            field.presentations = 0
            _ = await field.run(&entryPoint, step)
        }
        summary = outcome.summary
        let combination = reader.combinations.first { $0.matches(example.profile.applications[0].aid) }
        let terminal = RecordedTerminal(reader, request: example.request, application: combination?.aid)
        trace = APDUTrace(
            metadata: [
                ("title", "Regression suite: \(example.name)"), ("reason", example.reason), ("expect", example.expect),
                ("issuer-master-key", example.profile.issuerMasterKeys.applicationCryptogram.bytes.revealed().hex),
            ] + terminal.metadata, entries: field.notes.entries)
    }
}

/// The field with the card of a case.
private struct Field {
    let notes = Notes()
    private let card: VirtualCard
    private let channel: RecordingChannel
    private let most: Int
    var presentations = 0

    init(_ card: PersonalizedCard, _ example: TapCase) {
        let notes = notes
        self.card = VirtualCard(card, interface: .contactless)
        most = example.presentations
        channel = RecordingChannel(FaultyCard(self.card, example.faults)) { command, error in
            notes.add(.unanswered(command))
            notes.add(.reader(APDUTrace.ReaderEvent(error)))
        } record: {
            notes.add(.exchange($0))
        }
    }

    /// Until Entry Point ends, or the card does not come back.
    mutating func run(_ entryPoint: inout EntryPoint, _ first: EntryPoint.Step) async -> ContactlessOutcome {
        var step = first
        while true {
            switch step.action {
            case .poll:
                guard presentations < most else { return ContactlessOutcome(.tryAgain, start: .b) }
                presentations += 1
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
            case .end(let outcome): return outcome
            }
        }
    }
}
