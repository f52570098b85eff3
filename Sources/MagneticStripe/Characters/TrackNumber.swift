/// The tracks of a magnetic stripe and what ISO/IEC 7811-2 says of their recording.
public enum TrackNumber: Int, Sendable, Codable, CaseIterable {
    case one = 1
    case two = 2
    case three = 3

    /// Bits per inch.
    public var density: Int { self == .two ? 75 : 210 }

    /// The codes in which a track may be written, the usual one first: AAMVA writes track 3 alphanumerically.
    public var codes: [CharacterCode] {
        switch self {
        case .one: [.alphanumeric]
        case .two: [.numeric]
        case .three: [.numeric, .alphanumeric]
        }
    }

    /// How many characters the track holds in `code`, both sentinels and the redundancy check included.
    public func capacity(_ code: CharacterCode) -> Int {
        switch (self, code) {
        case (.two, _): 40
        case (.three, .numeric): 107
        case (.three, .alphanumeric): 82
        case (.one, _): 79
        }
    }
}
