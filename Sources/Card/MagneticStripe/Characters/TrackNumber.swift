/// The tracks of a magnetic stripe and their recording formats (ISO/IEC 7811-2).
public enum TrackNumber: Int, Sendable, Codable, CaseIterable {
    case one = 1
    case two = 2
    case three = 3

    /// Bits per inch.
    public var density: Int { self == .two ? 75 : 210 }

    /// The possible codes of a track, the usual one first: AAMVA uses the alphanumeric code on
    /// track 3.
    public var codes: [CharacterCode] {
        switch self {
        case .one: [.alphanumeric]
        case .two: [.numeric]
        case .three: [.numeric, .alphanumeric]
        }
    }

    /// The capacity of the track in characters of `code`, including both sentinels and the
    /// redundancy check.
    public func capacity(_ code: CharacterCode) -> Int {
        switch (self, code) {
        case (.two, _): 40
        case (.three, .numeric): 107
        case (.three, .alphanumeric): 82
        case (.one, _): 79
        }
    }
}
