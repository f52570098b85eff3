/// Why a reader could not carry a transaction through.
public enum CaptureError: Error, Equatable, Sendable {
    case noCardPresented
    /// More than one card is in the field of a contactless reader.
    case severalCards
    case cardRemoved
    case cancelled
    /// The reader or the card failed; the text names the cure if one is known.
    case failed(String)
}

extension CaptureError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noCardPresented: "no card was presented"
        case .severalCards: "several cards were presented at once: present one only"
        case .cardRemoved: "the card was removed before the end of the transaction"
        case .cancelled: "the transaction was cancelled"
        case .failed(let what): what
        }
    }
}
