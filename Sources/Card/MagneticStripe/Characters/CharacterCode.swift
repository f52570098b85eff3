/// The two coded character sets of ISO/IEC 7811-2: a character is written least significant bit
/// first and ends with an odd parity bit.
public enum CharacterCode: Sendable, CaseIterable {
    /// Six data bits: ASCII from 20 (space) to 5F.
    case alphanumeric
    /// Four data bits: ASCII from 30 (0) to 3F.
    case numeric

    /// With the parity bit.
    public var bitsPerCharacter: Int { dataBits + 1 }
    private var dataBits: Int { self == .alphanumeric ? 6 : 4 }
    private var base: UInt8 { self == .alphanumeric ? 0x20 : 0x30 }

    /// ASCII.
    public var startSentinel: UInt8 { self == .alphanumeric ? UInt8(ascii: "%") : UInt8(ascii: ";") }
    public var endSentinel: UInt8 { UInt8(ascii: "?") }
    public var fieldSeparator: UInt8 { self == .alphanumeric ? UInt8(ascii: "^") : UInt8(ascii: "=") }

    /// The bits of an ASCII `character`, parity highest; nil if it is not in the set.
    public func code(for character: UInt8) -> UInt8? {
        guard character >= base, character - base < 1 << dataBits else { return nil }
        return withParity(character - base)
    }

    /// The ASCII character of `code`; nil if its parity is even or it has too many bits.
    public func character(for code: UInt8) -> UInt8? {
        guard code < 1 << bitsPerCharacter, !code.nonzeroBitCount.isMultiple(of: 2) else { return nil }
        return code & ((1 << dataBits) - 1) + base
    }

    /// The longitudinal redundancy check over `codes`, including start and end sentinel: each data
    /// column has even parity, the check itself odd parity.
    public func redundancyCheck(_ codes: some Sequence<UInt8>) -> UInt8 {
        withParity(codes.reduce(0) { $0 ^ $1 } & ((1 << dataBits) - 1))
    }

    private func withParity(_ data: UInt8) -> UInt8 {
        data.nonzeroBitCount.isMultiple(of: 2) ? data | 1 << dataBits : data
    }
}

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
