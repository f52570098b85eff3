import Bytes
package import DeviceIO
package import MagneticStripe

/// The characters of a swipe that a keyboard wedge has typed so far.
///
/// Only text that begins with a start sentinel and has an end sentinel is a swipe: other input is
/// discarded.
package struct WedgeText: Sendable {
    private var keymap: Keymap
    private var characters: [UInt8] = []
    private var isLost = false

    /// Three tracks and the characters between them are shorter.
    private static let longest = 1024
    private static let startSentinels = Set("%;+#!&@".utf8)

    package init(layout: KeyboardLayout = .american) { keymap = Keymap(layout) }

    /// Whether a swipe has begun and not ended.
    package var isUnderWay: Bool { !characters.isEmpty }

    /// - Returns: The swipe, if the key completes one.
    package mutating func take(_ event: KeyEvent) -> Swipe? {
        switch event {
        case .pressed(let key), .repeated(let key):
            switch keymap.press(key) {
            case .end: return finish()
            case .nothing: return nil
            case .character(let character):
                if characters.isEmpty, !Self.startSentinels.contains(character) { return nil }
                if characters.count < Self.longest { characters.append(character) }
                return nil
            }
        case .released(let key):
            keymap.release(key)
            return nil
        case .lost:
            keymap.releaseAll()
            isLost = isUnderWay
            return nil
        }
    }

    /// The swipe that has been typed; nil if it was not a swipe. Call it when no more keys arrive.
    package mutating func finish() -> Swipe? {
        defer {
            wipe(&characters)
            isLost = false
        }
        guard characters.contains(UInt8(ascii: "?")) else { return nil }
        // If keys are lost in the middle, the number may still look complete.
        if isLost { return Swipe(track1: .failed(.saidByReader), track2: .failed(.saidByReader), track3: .failed(.saidByReader)) }
        return Swipe(text: String(decoding: characters, as: UTF8.self))
    }
}
