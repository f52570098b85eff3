import SmartCard

/// How a command ended (ABECS 2.12, 3.1.1).
package struct ABECSStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let ok = Self(rawValue: 0)
    /// The command is not allowed now, or is unknown.
    package static let invalidCall = Self(rawValue: 10)
    package static let invalidParameter = Self(rawValue: 11)
    package static let timedOut = Self(rawValue: 12)
    package static let cancelled = Self(rawValue: 13)
    package static let internalError = Self(rawValue: 40)
    package static let stripeError = Self(rawValue: 41)
    package static let keyMissing = Self(rawValue: 42)
    package static let noCard = Self(rawValue: 43)
    package static let pinBusy = Self(rawValue: 44)
    /// The card does not answer, or was removed.
    package static let muteCard = Self(rawValue: 60)
    package static let cardError = Self(rawValue: 61)
}

extension ABECSStatus: DriverError {
    package var description: String {
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
