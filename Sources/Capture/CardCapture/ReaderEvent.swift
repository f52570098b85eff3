public import Contactless
public import SmartCard

/// What a reader reports while it is open.
public enum ReaderEvent: Sendable, Equatable {
    /// The device is open, for the first time or after ``reconnecting``.
    case connected
    /// The device is absent for a moment, for example because it restarts after a command or is out
    /// of radio range.
    case reconnecting
    /// The reader cannot be used until it is opened or connected again; the reason says which.
    case disconnected(DisconnectReason)
    /// The battery state of a reader with ``ReaderCapabilities/battery``.
    case battery(BatteryState)
    /// A card is in the slot or in the field.
    case cardPresented(CardInterface)
    /// The card left; readers without ``ReaderCapabilities/cardEvents`` may not report it.
    case cardRemoved(CardInterface)
    /// A stripe was swiped; `readable` says whether any track could be read.
    case swiped(readable: Bool)
    /// The text that the reader shows to the cardholder, line by line. Our contactless kernels have
    /// it in the cardholder's language: the first of the card's that the terminal has
    /// (``EMVKernel/TerminalConfiguration/languages``) and that has texts, else the terminal's own.
    /// `says` is the step that they say so; nil for a text of the device's own, and for a message
    /// about the outcome.
    case prompt([String], says: Step? = nil)
    /// What a contactless reader shows, with the status of its lights and tones (EMV Contactless
    /// Book A, 7.1), for a program with a display of its own. ``prompt(_:says:)`` follows with its
    /// text. Readers with a kernel of their own do not send it.
    case userInterface(UserInterfaceRequest)
    /// The current step of cardholder and reader, for a program with texts or pictures of its own.
    /// The terminal sends how a card can be presented, for every reader; our kernels and
    /// ``MultiInterfaceReader`` send the steps after that. A reader with a kernel of its own tells
    /// its steps as ``prompt(_:says:)`` and ``pinProgress(digits:)`` only.
    case instruction(Instruction)
    /// A reader that has a kernel but no display asks which of the card's applications to use. The
    /// cardholder object that the caller passed to the reader answers. Over a plain chip slot our
    /// kernel asks its cardholder object instead. Devices with a display ask there.
    case selectionRequired([String])
    /// How many digits of a PIN have been entered.
    case pinProgress(digits: Int)
    /// The progress of a long operation, from 0 to 1. Tables are loaded into ABECS PIN pads; no
    /// driver loads firmware.
    case progress(LongOperation, Double)

    /// What a text says, and in which language.
    public struct Step: Sendable, Equatable {
        /// What the cardholder is asked to do.
        public let instruction: Instruction
        package let language: MessageLanguage

        package init(_ instruction: Instruction, in language: MessageLanguage) {
            self.instruction = instruction
            self.language = language
        }
    }

    /// An operation that takes so long that its progress is reported.
    public enum LongOperation: String, Sendable {
        /// Loading of tables: AIDs, keys and limits for the kernel of the reader.
        case configuration
        /// Loading of the device's software.
        case firmware
    }

    /// The interface where a card was presented.
    public enum CardInterface: String, Sendable {
        /// The contacts of a chip card slot.
        case contact
        /// The field of a contactless reader.
        case contactless
    }

    /// Why a reader was disconnected. It decides what the operator is asked to do.
    public enum DisconnectReason: Sendable, Equatable {
        /// The caller closed it.
        case closed
        /// The device left the bus: plug it in again.
        case unplugged
        /// It stopped answering. Over radio: out of range or asleep.
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
