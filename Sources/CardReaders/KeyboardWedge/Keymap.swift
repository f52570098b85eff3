/// The characters of a keyboard's keys. The codes are those of linux/input-event-codes.h.
struct Keymap {
    /// The effect of a key.
    enum Effect: Equatable {
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

    private let plain, shifted, alternate: [UInt16: UInt8]
    private let deadKey: UInt16?
    /// Shifts and AltGr.
    private var held: Set<UInt16> = []
    /// Whether the previous key was a dead key: the space bar then types its accent.
    private var isBehindDeadKey = false

    init(_ layout: KeyboardLayout = .american) {
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

    mutating func press(_ key: UInt16) -> Effect {
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

    mutating func release(_ key: UInt16) { held.remove(key) }

    mutating func releaseAll() {
        held = []
        isBehindDeadKey = false
    }
}
