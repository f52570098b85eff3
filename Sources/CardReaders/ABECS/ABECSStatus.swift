/// How a command ended (ABECS 2.12, 3.1.1).
public struct ABECSStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let ok = Self(rawValue: 0)
    /// The command cannot be called now, or is not known.
    public static let invalidCall = Self(rawValue: 10)
    public static let invalidParameter = Self(rawValue: 11)
    public static let timedOut = Self(rawValue: 12)
    public static let cancelled = Self(rawValue: 13)
    public static let internalError = Self(rawValue: 40)
    public static let stripeError = Self(rawValue: 41)
    public static let keyMissing = Self(rawValue: 42)
    public static let noCard = Self(rawValue: 43)
    public static let pinBusy = Self(rawValue: 44)
    /// The card does not answer, or is not there any more.
    public static let muteCard = Self(rawValue: 60)
    public static let cardError = Self(rawValue: 61)
}

extension ABECSStatus: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ok: "done"
        case .invalidCall: "the PIN pad does not accept the command now: its software may be too old"
        case .invalidParameter: "the PIN pad rejects a parameter"
        case .timedOut: "the PIN pad timed out: no card was presented and no key was pressed"
        case .cancelled: "cancelled at the PIN pad"
        case .internalError: "the PIN pad has an internal error: switch it off and on"
        case .stripeError: "the stripe could not be read: swipe again"
        case .keyMissing: "the PIN pad does not have the key: load it, or choose another key index"
        case .noCard: "there is no card in the PIN pad"
        case .pinBusy: "the PIN pad refuses PIN entry after too many requests: wait, then try again"
        case .muteCard: "the card does not answer: insert it chip first, or try another"
        case .cardError: "the exchange between PIN pad and card failed: insert the card again"
        default: "the PIN pad refused the command, status \(rawValue)"
        }
    }
}
