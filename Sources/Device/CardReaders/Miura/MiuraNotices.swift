import CardCapture
private import Synchronization
import TLV

/// Unsolicited messages of a Miura PIN pad: about the device, and about actions of the cardholder.
final class MiuraNotices: Sendable {
    private let events: ReaderEvents
    private let slot = Mutex(false)

    init(_ events: ReaderEvents) { self.events = events }

    /// Whether a card is in the slot, according to the last message.
    var hasCard: Bool {
        get { slot.withLock { $0 } }
        set { slot.withLock { $0 = newValue } }
    }

    func take(_ message: MiuraMessage) {
        guard let elements = try? DataElements(parsing: message.body) else { return }
        if let code = elements[.miuraStatusCode]?.first {
            switch code {
            // PIN entry; the PIN pad reports the number of digits.
            case 0x02: if let digits = elements[0xDFA201]?.first { events.send(.pinProgress(digits: Int(digits))) }
            case 0x0A, 0x0B, 0x0C: events.send(.reconnecting)
            default:
                if let text = elements[.miuraStatusText], code != 0x01 {
                    events.send(.prompt([ValueDescription.printable(text)]))
                }
            }
        }
        // Each wait begins with a message about the current state of the slot.
        if let status = elements.miuraCard, !status.isPresent, hasCard {
            hasCard = false
            events.send(.cardRemoved(.contact))
        }
    }
}
