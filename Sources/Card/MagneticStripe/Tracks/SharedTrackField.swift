/// A field that tracks 1 and 2 both have.
public enum SharedTrackField: Sendable, Equatable {
    case pan
    case expiry
    case serviceCode
}

extension Track1 {
    /// The fields in which the tracks of one card contradict each other: the card is damaged or
    /// forged. A missing field is not a contradiction.
    public func contradictions(to track2: Track2) -> [SharedTrackField] {
        var fields: [SharedTrackField] = []
        if pan != track2.pan { fields.append(.pan) }
        if let expiry, let other = track2.expiry, expiry != other { fields.append(.expiry) }
        if let serviceCode, let other = track2.serviceCode, serviceCode != other { fields.append(.serviceCode) }
        return fields
    }
}
