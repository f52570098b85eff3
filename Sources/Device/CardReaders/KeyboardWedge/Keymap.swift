/// The characters of a keyboard's keys. The codes are those of linux/input-event-codes.h.
package struct Keymap {
    /// The effect of a key.
    package enum Effect: Equatable {
        /// ASCII.
        case character(UInt8)
        case end
        case nothing
    }

    static let enter: Set<UInt16> = [28, 96]
    private static let leftShift: UInt16 = 42
    private static let rightShift: UInt16 = 54
    private static let alternate: UInt16 = 100
    private static let space: UInt16 = 57
    /// While the left Alt is held, the digits of the numeric keypad are the code of a character,
    /// which is typed when the key is released. Readers type so to be independent of the layout.
    private static let leftAlternate: UInt16 = 56
    private static let keypadDigits: [UInt16: Int] = [
        82: 0, 79: 1, 80: 2, 81: 3, 75: 4, 76: 5, 77: 6, 71: 7, 72: 8, 73: 9,
    ]

    private let plain, shifted, alternate: [UInt16: UInt8]
    private let deadKey: UInt16?
    /// Shifts and AltGr.
    private var held: Set<UInt16> = []
    /// Whether the previous key was a dead key: the space bar then types its accent.
    private var isBehindDeadKey = false
    /// The code typed with the left Alt so far; nil if it is not held.
    private var typedCode: Int?

    package init(_ layout: KeyboardLayout = .american) {
        func keys(_ side: (KeyboardLayout.Row) -> String) -> [UInt16: UInt8] {
            var keys: [UInt16: UInt8] = [:]
            for row in KeyboardLayout.commonRows + layout.rows {
                for (index, character) in side(row).enumerated() {
                    keys[row.first + UInt16(truncatingIfNeeded: index)] = character.asciiValue
                }
            }
            return keys
        }
        plain = keys(\.plain)
        shifted = keys(\.shifted)
        alternate = keys(\.alternate)
        deadKey = layout.deadKey
    }

    package mutating func press(_ key: UInt16) -> Effect {
        if key == Self.leftAlternate {
            typedCode = typedCode ?? 0
            return .nothing
        }
        if let code = typedCode {
            if let digit = Self.keypadDigits[key] { typedCode = min(code * 10 + digit, 0xFFFF) }
            return .nothing
        }
        if [Self.leftShift, Self.rightShift, Self.alternate].contains(key) {
            held.insert(key)
            return .nothing
        }
        if Self.enter.contains(key) { return .end }
        let completesAccent = isBehindDeadKey && key == Self.space
        isBehindDeadKey = held.isEmpty && key == deadKey
        if completesAccent { return .nothing }
        let keys = held.contains(Self.alternate) ? alternate : held.isEmpty ? plain : shifted
        return keys[key].map { .character($0) } ?? .nothing
    }

    /// - Returns: The character of a code that was typed with the left Alt.
    package mutating func release(_ key: UInt16) -> Effect {
        held.remove(key)
        guard key == Self.leftAlternate, let code = typedCode else { return .nothing }
        typedCode = nil
        switch code {
        case 0x0A, 0x0D: return .end
        // 1D separates the fields of a GS1 code.
        case 0x1D, 0x20...0x7E: return .character(UInt8(truncatingIfNeeded: code))
        default: return .nothing
        }
    }

    package mutating func releaseAll() {
        held = []
        isBehindDeadKey = false
        typedCode = nil
    }
}
