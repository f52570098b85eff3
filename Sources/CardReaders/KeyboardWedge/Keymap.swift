/// What the keys of an American keyboard type, which is the layout that readers are delivered with. Codes are those of linux/input-event-codes.h.
struct Keymap {
    private var isShifted: (left: Bool, right: Bool) = (false, false)

    /// What a key does.
    enum Effect: Equatable {
        /// ASCII.
        case character(UInt8)
        case end
        case nothing
    }

    static let enter: Set<UInt16> = [28, 96]
    private static let leftShift: UInt16 = 42
    private static let rightShift: UInt16 = 54

    mutating func press(_ key: UInt16) -> Effect {
        switch key {
        case Self.leftShift: isShifted.left = true
        case Self.rightShift: isShifted.right = true
        case _ where Self.enter.contains(key): return .end
        default:
            let keys = isShifted.left || isShifted.right ? Self.shifted : Self.plain
            if let character = keys[key] { return .character(character) }
        }
        return .nothing
    }

    mutating func release(_ key: UInt16) {
        if key == Self.leftShift { isShifted.left = false }
        if key == Self.rightShift { isShifted.right = false }
    }

    mutating func releaseAll() { isShifted = (false, false) }

    /// Runs of keys whose codes follow one another, from the first: without shift and with it.
    private static let rows: [(first: UInt16, plain: String, shifted: String)] = [
        (2, "1234567890-=", "!@#$%^&*()_+"), (16, "qwertyuiop[]", "QWERTYUIOP{}"), (30, "asdfghjkl;'`", "ASDFGHJKL:\"~"),
        (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"), (55, "*", "*"), (57, " ", " "), (71, "789-456+1230.", "789-456+1230."), (98, "/", "/"),
    ]
    private static let plain = keys(\.plain)
    private static let shifted = keys(\.shifted)

    private static func keys(_ side: (_ row: (first: UInt16, plain: String, shifted: String)) -> String) -> [UInt16: UInt8] {
        var keys: [UInt16: UInt8] = [:]
        for row in rows {
            for (index, character) in side(row).utf8.enumerated() { keys[row.first + UInt16(index)] = character }
        }
        return keys
    }
}
