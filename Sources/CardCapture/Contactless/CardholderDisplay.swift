import Contactless
import EMVKernel
import Synchronization

/// Passes what a contactless reader shows to the listeners of its slot, with the text in the
/// cardholder's language.
final class CardholderDisplay: Sendable {
    private let events: ReaderEvents
    private let language: Mutex<MessageLanguageChoice>

    /// - Parameter languages: The terminal's, the local one first.
    init(events: ReaderEvents, languages: [Language]) {
        self.events = events
        language = Mutex(MessageLanguageChoice(supported: languages))
    }

    func show(_ request: UserInterfaceRequest) {
        if let instruction = ReaderEvent.Instruction(request.message) { events.send(.instruction(instruction)) }
        showText(request)
    }

    /// Without the instruction, for a step that sends its own.
    func showText(_ request: UserInterfaceRequest) {
        let language = language.withLock { choice in
            choice.take(request)
            return choice.language
        }
        events.send(.userInterface(request))
        events.send(.prompt(language.lines(request.message) + [request.value.map(language.line)].compactMap(\.self)))
    }
}
