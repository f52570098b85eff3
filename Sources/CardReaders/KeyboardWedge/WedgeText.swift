import Bytes
package import DeviceIO
package import MagneticStripe

/// What a keyboard wedge has typed of a swipe.
///
/// Only what begins with a start sentinel and has an end sentinel counts as one: other input of the
/// device is discarded.
package struct WedgeText: Sendable {
    private var keymap: Keymap
    private var characters: [UInt8] = []
    private var isLost = false

    /// Three tracks and what may stand between them take less.
    private static let longest = 1024
    private static let startSentinels = Set("%;+#!&@".utf8)

    package init(layout: KeyboardLayout = .american) { keymap = Keymap(layout) }

    /// Whether something has been typed that is not at its end.
    package var isUnderWay: Bool { !characters.isEmpty }

    /// - Returns: The swipe that the key ends, if it ends one.
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

    /// The swipe that has been typed; nil if it was none. To be called when nothing more comes.
    package mutating func finish() -> Swipe? {
        defer {
            wipe(&characters)
            isLost = false
        }
        guard characters.contains(UInt8(ascii: "?")) else { return nil }
        // Keys that are missing in the middle may leave a number that looks whole.
        if isLost { return Swipe(track1: .failed(.saidByReader), track2: .failed(.saidByReader), track3: .failed(.saidByReader)) }
        return Swipe(text: String(decoding: characters, as: UTF8.self))
    }
}
