import Contactless
import EMVKernel
import Synchronization

/// Passes what a reader shows to the listeners of its slot, with the text in the cardholder's
/// language.
final class CardholderDisplay: Sendable {
    private let events: ReaderEvents
    private let language: Mutex<MessageLanguageChoice>

    /// - Parameter languages: The terminal's, the local one first.
    init(events: ReaderEvents, languages: [Language]) {
        self.events = events
        language = Mutex(MessageLanguageChoice(supported: languages))
    }

    /// The card's as soon as it has told one that the terminal has, else the terminal's.
    private var current: MessageLanguage { language.withLock { $0.language } }

    /// The language that the card's own preferences led to; nil while no card has told them.
    var languageOfCard: MessageLanguage? { language.withLock { $0.isOfCard ? $0.language : nil } }

    /// What a contactless kernel shows.
    func show(_ request: UserInterfaceRequest) {
        let instruction = ReaderEvent.Instruction(request.message)
        if let instruction { events.send(.instruction(instruction)) }
        showState(request)
        let language = current
        events.send(
            .prompt(
                language.lines(request.message) + [request.value.map(language.line)].compactMap(\.self),
                says: instruction.map { ReaderEvent.Step($0, in: language) }))
    }

    /// Lights and tones alone, for a step with an instruction of its own.
    func showState(_ request: UserInterfaceRequest) {
        language.withLock { $0.take(request) }
        events.send(.userInterface(request))
    }

    /// A step of cardholder and reader, and its text.
    func instruct(_ instruction: ReaderEvent.Instruction) {
        events.send(.instruction(instruction))
        showText(instruction)
    }

    /// Without the step, which the terminal has sent.
    func showText(_ instruction: ReaderEvent.Instruction) {
        let language = current
        events.send(.prompt(language.lines(instruction), says: ReaderEvent.Step(instruction, in: language)))
    }

    /// Takes over the language that the kernel has chosen.
    func use(_ chosen: Language) { language.withLock { $0.take([chosen]) } }
}
