/// A powered card in a reader. Commands are sent one after the other.
///
/// Code above this protocol uses a card only through APDUs. Code below implements it: a reader
/// driver, the virtual card, a recorded exchange. An implementation returns every status word
/// unchanged, except that a reader with protocol T=0 handles `61xx` and `6Cxx` itself, because they
/// belong to the transport (EMV Contact Interface Specification).
public protocol CardChannel: Sendable {
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU
}

/// A card in software that can be removed from its reader and inserted again.
public protocol RemovableCard: CardChannel {
    /// Clears what a card loses without power: the selected application, the PIN, the transaction.
    func reset() async
}

/// A card in software that may be in the field with others.
package protocol AccompaniedCard: RemovableCard {
    /// Whether another card is presented with it. Each call is a presentation.
    func isAccompanied() async -> Bool
}

/// Why there is no answer from the card.
public enum CardChannelError: Error, Equatable, Sendable {
    case cardRemoved
    /// The card did not answer in time.
    case timedOut
    case malformedAnswer(MalformedAnswer)
    case cancelled
    /// The reader failed or was disconnected.
    case readerFailed(ReaderFailure)
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
