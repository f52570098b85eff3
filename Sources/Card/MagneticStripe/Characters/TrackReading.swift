/// The result of reading one track of a swipe. Tracks are independent: an error in one does not
/// affect the others.
public enum TrackReading: Sendable, Equatable {
    /// The track is empty, or has only clocking zeros.
    case blank
    /// All parity bits and the redundancy check are correct.
    case read(TrackText, SwipeDirection)
    case failed(TrackError)

    public var text: TrackText? {
        guard case .read(let text, _) = self else { return nil }
        return text
    }

    public var error: TrackError? {
        guard case .failed(let error) = self else { return nil }
        return error
    }
}

/// The direction of the swipe.
public enum SwipeDirection: Sendable, Equatable {
    case forward
    case backward
}

/// Why a track could not be read. Positions count characters from 0 at the start sentinel; no case
/// contains card data.
public enum TrackError: Error, Equatable, Sendable {
    /// Data are recorded, but there is no start sentinel after clocking zeros, in either direction.
    case noStartSentinel
    /// `count` characters have even parity or are misplaced start sentinels; the first is at
    /// `position`.
    case unreadable(position: Int, count: Int)
    /// The track ends after `characters` good characters.
    case noEndSentinel(characters: Int)
    /// Nothing follows the end sentinel.
    case noRedundancyCheck
    /// The redundancy check is wrong, although each character has correct parity.
    case redundancyCheck
    /// The reader decodes tracks itself and reports only the failure.
    case saidByReader
    /// What the reader shows of a track that it encrypts: its digits are not those of the card.
    case maskedByReader
}

extension TrackError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noStartSentinel: "no start sentinel: swipe again"
        case .unreadable(let position, let count):
            "\(count) unreadable, the first is character \(position + 1): swipe again"
        case .noEndSentinel(let characters):
            "the track breaks off after character \(characters): swipe again, through to the end"
        case .noRedundancyCheck: "the track breaks off after its end sentinel: swipe again, through to the end"
        case .redundancyCheck: "the redundancy check is wrong: swipe again"
        case .saidByReader: "the reader could not decode the track: swipe again"
        case .maskedByReader:
            "the reader encrypts the track, and shows a masked copy of it: the number is not the card's"
        }
    }
}
