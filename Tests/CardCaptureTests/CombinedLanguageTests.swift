import CardReaders
import Contactless
import EMVKernel
import KernelDoubles
import TLV
import Testing
import VirtualCard

@testable import CardCapture

/// Texts of a reader with field, contacts and stripe, at a terminal that has German first, and
/// French. What they say is in `MessageLanguage`; here is which language is spoken.
@Suite("The language of a reader with several interfaces") struct CombinedLanguageTests {
    private static let languages = ["de", "fr"].compactMap { Language($0) }

    private struct Shown: Equatable {
        let instruction: ReaderEvent.Instruction
        let lines: [String]
    }

    private static func shown(_ instruction: ReaderEvent.Instruction, _ language: MessageLanguage) -> Shown {
        Shown(instruction: instruction, lines: language.lines(instruction))
    }

    /// The card is tapped when the reader invites to it, and inserted when it asks for that.
    private func payment(cardLanguages: [String]) async throws -> (outcome: CaptureOutcome, shown: [Shown]) {
        // Without CDA such a tap is sent to another interface.
        var bench = try TapBench.mastercard(cardLanguages: cardLanguages) {
            $0.interchangeProfile.remove(.cdaSupported)
        }
        let (field, contacts) = (
            VirtualReader(interface: .contactless, waitsForCard: true), VirtualReader(waitsForCard: true)
        )
        bench.slot = field
        bench.languages = Self.languages
        var terminal = TerminalConfiguration.attended(
            countryCode: 250, applications: [.mastercard], caKeys: bench.personalized.caPublicKeys)
        terminal.languages = Self.languages
        let chip = ChipReader(
            slot: contacts, kernel: ContactKernel(terminal), cardholder: FirstChoice(),
            clock: { Timestamp(secondsSince1970: 1_773_057_600) })
        let reader = MultiInterfaceReader(contactless: bench.reader(), chip: chip)
        let stream = reader.events.stream()
        let personalized = bench.personalized
        let holder = Task {
            var shown: [Shown] = []
            for await case .prompt(let lines, let step?) in stream {
                shown.append(Shown(instruction: step.instruction, lines: lines))
                switch step.instruction {
                case .tapOrInsertCard: await field.insert(VirtualCard(personalized, interface: .contactless))
                case .insertCard: await contacts.insert(VirtualCard(personalized))
                default: break
                }
            }
            return shown
        }
        let outcome = try await reader.capture(CaptureRequest(amount: 10_00, currencyCode: 978, sequenceCounter: 1)) {
            _ in
            .answered(.init(responseCode: "00"))
        }
        reader.events.finish()
        return (outcome, await holder.value)
    }

    @Test("after a tap, the contacts are asked for in the card's language, and before it in the terminal's first")
    func afterATap()
        async throws
    {
        let (outcome, shown) = try await payment(cardLanguages: ["fr"])
        #expect(outcome.card?.entryMode == .chip)
        #expect(shown.first == Self.shown(.tapOrInsertCard, .german))
        #expect(shown.contains(Self.shown(.insertCard, .french)), "\(shown)")
        #expect(!shown.contains(Self.shown(.insertCard, .german)), "\(shown)")
    }

    @Test("a card whose language the terminal does not have is spoken to in the terminal's first") func otherLanguage()
        async throws
    {
        let (outcome, shown) = try await payment(cardLanguages: ["nl"])
        #expect(outcome.card?.entryMode == .chip)
        #expect(shown.contains(Self.shown(.insertCard, .german)), "\(shown)")
    }

    @Test("each text says which step it is, and the field's own invitation becomes the common one") func steps()
        async throws
    {
        let (_, shown) = try await payment(cardLanguages: ["fr"])
        #expect(shown.first?.instruction == .tapOrInsertCard, "\(shown)")
        #expect(!shown.contains { $0.instruction == .presentCard }, "\(shown)")
    }

    @Test("a request has two lines in English, and says why", arguments: MessageLanguage.allCases)
    func words(_ language: MessageLanguage) {
        let request = CardholderRequest(instruction: .insertOrSwipeCard, reason: .notByTap)
        let lines = request.lines(in: language)
        #expect(
            lines
                == (language == .english
                    ? ["INSERT CARD", "this payment cannot be made by tap"] : language.lines(.insertOrSwipeCard)))
    }
}
