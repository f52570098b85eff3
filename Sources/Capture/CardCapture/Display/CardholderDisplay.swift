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

    /// What a contactless kernel shows.
    func show(_ request: UserInterfaceRequest) {
        if let instruction = ReaderEvent.Instruction(request.message) { events.send(.instruction(instruction)) }
        showState(request)
        let language = language.withLock { $0.language }
        events.send(.prompt(language.lines(request.message) + [request.value.map(language.line)].compactMap(\.self)))
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
        events.send(.prompt(language.withLock { $0.language }.lines(instruction)))
    }

    /// Takes over the language that the kernel has chosen.
    func use(_ chosen: Language) { language.withLock { $0.take([chosen]) } }
}
