public import SmartCard

/// What a reader tells while it is open.
public enum ReaderEvent: Sendable, Equatable {
    case connected
    /// The device went away for a moment, for example because it restarts after a command or is out
    /// of radio range.
    case reconnecting
    case disconnected(DisconnectReason)
    /// In percent.
    case battery(Int)
    case cardPresented(CardInterface)
    case cardRemoved(CardInterface)
    /// A stripe was drawn through; whether any track could be read.
    case swiped(readable: Bool)
    /// What the reader shows the cardholder, a text for each line.
    case prompt([String])
    /// A reader with a kernel but no display of its own asks which of the card's applications is to be used: answered by whoever was named to it for that.
    /// Over a plain chip slot our kernel asks its cardholder instead, and devices with a display ask there.
    case selectionRequired([String])
    /// How many digits of a PIN have been entered.
    case pinProgress(digits: Int)
    /// Of a long operation, from 0 to 1. ABECS PIN pads are loaded with tables; no driver loads firmware into a device.
    case progress(LongOperation, Double)

    public enum LongOperation: String, Sendable {
        case configuration
        case firmware
    }

    public enum CardInterface: String, Sendable {
        case contact
        case contactless
    }

    public enum DisconnectReason: Sendable, Equatable {
        /// It was closed from this side.
        case closed
        case unplugged
        /// No answer came any more; over radio: out of range or asleep.
        case silent
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
