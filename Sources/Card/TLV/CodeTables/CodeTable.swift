private import Bytes

/// The parts of ISO/IEC 8859 that a card's preferred names are coded in (EMV 4.4 Book 3, annex C4,
/// table 45; Book 4, 11.1).
///
/// Each byte is one character. `20` to `7E` are the common character set in every part; `A0` to
/// `FF` differ; each part has its own file. The other bytes are not characters: `00` to `1F`, `7F`
/// to `9F`, and the unassigned positions of a part.
public enum CodeTable: Int, Sendable, CaseIterable {
    case latin1 = 1
    case latin2, latin3, latin4, cyrillic, arabic, greek, hebrew, latin5, latin6

    /// The table for tag `9F11`, two BCD digits: `10` is part 10. Nil for an invalid value.
    public init?(index: UInt8) {
        guard let number = BCD.number(CollectionOfOne(index)) else { return nil }
        self.init(rawValue: Int(truncatingIfNeeded: number))
    }

    /// The character of `byte`; nil if the table has no character there.
    public func character(_ byte: UInt8) -> Unicode.Scalar? {
        if let common = CommonCharacterSet.character(byte) { return common }
        guard byte >= 0xA0 else { return nil }
        return switch self {
        case .latin1: Unicode.Scalar(byte)
        case .latin2: Self.latin2(byte)
        case .latin3: Self.latin3(byte)
        case .latin4: Self.latin4(byte)
        case .cyrillic: Self.cyrillic(byte)
        case .arabic: Self.arabic(byte)
        case .greek: Self.greek(byte)
        case .hebrew: Self.hebrew(byte)
        case .latin5: Self.latin5(byte)
        case .latin6: Self.latin6(byte)
        }
    }

    /// `bytes` as text; other bytes become spaces, so that a card cannot send control sequences to
    /// a screen (EMV 4.4 Book 1, 12.2.4).
    public func text(_ bytes: some Sequence<UInt8>) -> String { String(bytes, character) }

    /// `text` in this coding, one byte for each Unicode scalar; nil if one is not in the table.
    public func bytes(_ text: String) -> [UInt8]? {
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = (UInt8(0x20)...0xFF).first(where: { character($0) == scalar }) else { return nil }
            result.append(byte)
        }
        return result
    }

    /// The characters of `A0` to `FF` from a table of 96, where U+FFFD marks an unassigned
    /// position.
    static func entry(_ byte: UInt8, of table: [Unicode.Scalar]) -> Unicode.Scalar? {
        let scalar = table[Int(byte) - 0xA0]
        return scalar == "\u{FFFD}" ? nil : scalar
    }
}

/// The 95 characters that all parts of ISO/IEC 8859 share, for labels (EMV 4.4 Book 4, annex B,
/// table 39).
public enum CommonCharacterSet {
    /// The character of `byte`; nil outside `20` to `7E`.
    public static func character(_ byte: UInt8) -> Unicode.Scalar? {
        (0x20...0x7E).contains(byte) ? Unicode.Scalar(byte) : nil
    }

    /// `bytes` as text; other bytes become spaces.
    public static func text(_ bytes: some Sequence<UInt8>) -> String { String(bytes, character) }
}

extension String {
    fileprivate init(_ bytes: some Sequence<UInt8>, _ character: (UInt8) -> Unicode.Scalar?) {
        self.init()
        for byte in bytes { unicodeScalars.append(character(byte) ?? " ") }
    }
}
