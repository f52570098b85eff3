/// A card in a reader, powered, to which commands are sent one after the other.
///
/// Everything above this protocol sees a card as an exchange of APDUs; everything below it makes one: a reader driver, the virtual
/// card, a recorded exchange. An implementation hands on every status word as it is, except that a reader on protocol T=0 collects
/// `61xx` and `6Cxx` itself, since these belong to the transport (EMV Contact Interface Specification).
public protocol CardChannel: Sendable {
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU
}

/// A card that is a program, and that can be taken out of its reader and put in again.
public protocol RemovableCard: CardChannel {
    /// Forgets what a card forgets without power: the selected application, the PIN, the transaction.
    func reset() async
}

/// Why no answer came from the card.
public enum CardChannelError: Error, Equatable, Sendable {
    case cardRemoved
    /// The card did not answer in time.
    case timedOut
    /// What the card sent is no answer; the text says what was wrong with it, without its bytes.
    case malformedAnswer(String)
    case cancelled
    /// The reader is gone or failed; the text names the cure if one is known.
    case readerFailed(String)
}

extension CardChannelError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cardRemoved: "the card was removed"
        case .timedOut: "the card did not answer in time"
        case .malformedAnswer(let what): "the card's answer is malformed: \(what)"
        case .cancelled: "the exchange was cancelled"
        case .readerFailed(let what): "the reader failed: \(what)"
        }
    }
}
