public import SmartCard

/// What a reader tells while it is open.
public enum ReaderEvent: Sendable, Equatable {
    /// The device is open, for the first time or after ``reconnecting``.
    case connected
    /// The device went away for a moment, for example because it restarts after a command or is out
    /// of radio range.
    case reconnecting
    /// The reader cannot be used until it is opened or connected again; the reason says which.
    case disconnected(DisconnectReason)
    /// Of a reader with ``ReaderCapabilities/battery``.
    case battery(BatteryState)
    /// A card is in the slot or in the field.
    case cardPresented(CardInterface)
    /// The card left; readers without ``ReaderCapabilities/cardEvents`` may not report it.
    case cardRemoved(CardInterface)
    /// A stripe was drawn through; whether any track could be read.
    case swiped(readable: Bool)
    /// What the reader shows the cardholder, a text for each line.
    case prompt([String])
    /// A reader that has a kernel but no display asks which of the card's applications to use. The
    /// cardholder that the caller has given to the reader answers. Over a plain chip slot our
    /// kernel asks its cardholder instead, and devices with a display ask on it.
    case selectionRequired([String])
    /// How many digits of a PIN have been entered.
    case pinProgress(digits: Int)
    /// Of a long operation, from 0 to 1. ABECS PIN pads are loaded with tables; no driver loads firmware into a device.
    case progress(LongOperation, Double)

    /// What takes so long that its progress is reported.
    public enum LongOperation: String, Sendable {
        /// Loading of tables: AIDs, keys and limits of the reader's own kernel.
        case configuration
        /// Loading of the device's software.
        case firmware
    }

    /// The interface that a card came to.
    public enum CardInterface: String, Sendable {
        /// The contacts of a chip card slot.
        case contact
        /// The field of a contactless reader.
        case contactless
    }

    /// Why a reader went away: it decides what the operator is asked to do.
    public enum DisconnectReason: Sendable, Equatable {
        /// It was closed from this side.
        case closed
        /// The device left the bus: plug it in again.
        case unplugged
        /// No answer came any more; over radio: out of range or asleep.
        case silent
        /// The connection failed; the next use of the reader tries it again.
        case failed(ReaderFailure)
    }
}

extension ReaderEvent.DisconnectReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed: "the reader was closed"
        case .unplugged: "the reader was unplugged: connect it again"
        case .silent: "the reader no longer answers: check that it is switched on and in range"
        case .failed(let failure): failure.description
        }
    }
}
