import Bytes
import CardCapture
import CardReaders
import EMVKernel
import KernelDoubles
import Synchronization
import TLV
import Testing
import VirtualCard

/// A field, contacts and a stripe reader as one, with a Mastercard card.
@Suite struct ThreeInterfacesTests {
    /// What a cardholder does at a prompt.
    private typealias Hand =
        @Sendable (_ prompt: String, _ field: VirtualReader, _ contacts: VirtualReader) async -> Void

    private struct Run {
        let outcome: CaptureOutcome
        let prompts: [String]
        let asked: [CapturedCard.EntryMode]
    }

    private func run(
        amount: UInt64 = 10_00, forcesOnline: Bool = false, stripe: (any MagstripeSlot)? = nil,
        _ change: (inout MastercardContactlessProfile) -> Void = { _ in }, hand: @escaping Hand
    ) async throws -> Run {
        var bench = try TapBench.mastercard(change)
        let field = VirtualReader(interface: .contactless, waitsForCard: true)
        let contacts = VirtualReader(waitsForCard: true)
        bench.slot = field
        let kernel = ContactKernel(
            TerminalConfiguration.attended(
                countryCode: 250, applications: [.mastercard], caKeys: bench.personalized.caPublicKeys))
        let chip = ChipReader(
            slot: contacts, kernel: kernel, cardholder: FirstChoice(),
            clock: { Timestamp(secondsSince1970: 1_773_057_600) })
        let reader = MultiInterfaceReader(contactless: bench.reader(), chip: chip, stripe: stripe)
        #expect(reader.testOnlyReason != nil)
        #expect(reader.capabilities.isSuperset(of: [.contactChip, .contactlessChip]))
        let (asked, prompts) = (Box<CapturedCard.EntryMode>(), Box<String>())
        let stream = reader.events.stream()
        let holder = Task {
            for await event in stream {
                guard case .prompt(let lines, _) = event, let prompt = lines.first else { continue }
                prompts.append(prompt)
                await hand(prompt, field, contacts)
            }
        }
        let outcome = try await reader.capture(
            CaptureRequest(amount: amount, currencyCode: 978, sequenceCounter: 1, forcesOnline: forcesOnline)
        ) { card in
            asked.append(card.entryMode)
            return .answered(.init(responseCode: "00"))
        }
        holder.cancel()
        await holder.value
        return Run(outcome: outcome, prompts: prompts.values, asked: asked.values)
    }

    /// What was noted, in order.
    private final class Box<Value: Sendable>: Sendable {
        private let noted = Mutex<[Value]>([])
        func append(_ value: Value) { noted.withLock { $0.append(value) } }
        var values: [Value] { noted.withLock { $0 } }
    }

    @Test func aTapIsEnough() async throws {
        let bench = try TapBench.mastercard()
        let run = try await run { prompt, field, _ in
            if prompt == "PRESENT CARD" { await field.insert(VirtualCard(bench.personalized, interface: .contactless)) }
        }
        #expect(run.outcome.decision == .approvedOffline)
        #expect(run.outcome.card?.entryMode == .contactlessChip)
        #expect(run.asked.isEmpty)
    }

    @Test func anInsertedCardNeedsNoTap() async throws {
        let bench = try TapBench.mastercard()
        let run = try await run { prompt, _, contacts in
            if prompt == "PRESENT CARD" { await contacts.insert(VirtualCard(bench.personalized)) }
        }
        #expect(run.outcome.card?.entryMode == .chip)
        #expect([.approvedOnline, .approvedOffline].contains(run.outcome.decision))
    }

    /// The card declines the tap, or the amount is above the limit for taps.
    @Test(arguments: [(UInt64(10_00), true), (300_00, false)]) func theCardIsInserted(
        _ amount: UInt64, _ declines: Bool
    ) async throws {
        let change: @Sendable (inout MastercardContactlessProfile) -> Void = {
            if declines { $0.interchangeProfile.remove(.cdaSupported) }
        }
        let bench = try TapBench.mastercard(change)
        let run = try await run(amount: amount, change) { prompt, field, contacts in
            switch prompt {
            case "PRESENT CARD": await field.insert(VirtualCard(bench.personalized, interface: .contactless))
            case "INSERT CARD": await contacts.insert(VirtualCard(bench.personalized))
            default: break
            }
        }
        #expect(run.outcome.card?.entryMode == .chip)
        #expect(run.asked.count == (run.outcome.decision == .approvedOnline ? 1 : 0))
        #expect([.approvedOnline, .approvedOffline].contains(run.outcome.decision))
        #expect(run.prompts.contains("INSERT CARD"))
    }

    /// A card at each interface: one of them is charged.
    @Test func theHostHearsOfOneCard() async throws {
        let bench = try TapBench.mastercard()
        let run = try await run(forcesOnline: true) { prompt, field, contacts in
            guard prompt == "PRESENT CARD" else { return }
            await contacts.insert(VirtualCard(bench.personalized))
            await field.insert(VirtualCard(bench.personalized, interface: .contactless))
        }
        #expect(run.asked.count == 1)
        #expect(run.outcome.card?.entryMode == run.asked.first)
        #expect(run.outcome.decision == .approvedOnline)
    }
}
