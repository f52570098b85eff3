import Bytes
package import CardCapture
package import DeviceIO
import MagneticStripe

/// The characters of a swipe that a keyboard wedge has typed so far.
///
/// Enter does not end a swipe: most readers can be set to type it after each track, and some come
/// so. A swipe ends when no more keys arrive. Only text with a start sentinel and an end sentinel
/// is a swipe: other input is discarded.
package struct WedgeText: Sendable {
    private var keymap: Keymap
    private var characters: [UInt8] = []
    private var isLost = false

    /// Three tracks, their ciphertexts and the fields with them are shorter.
    private static let longest = 4096
    private static let lineBreak = UInt8(ascii: "\n")

    package init(layout: KeyboardLayout = .american) { keymap = Keymap(layout) }

    /// Whether anything has been typed since the last swipe.
    package var isUnderWay: Bool { !characters.isEmpty }

    /// How long no key must arrive for a swipe to have ended. Readers type faster, and many begin
    /// the next track at once after Enter.
    package var silence: Duration { characters.last == Self.lineBreak ? .milliseconds(250) : .milliseconds(500) }

    package mutating func take(_ event: KeyEvent) {
        switch event {
        case .pressed(let key), .repeated(let key): take(keymap.press(key))
        case .released(let key): take(keymap.release(key))
        case .lost:
            keymap.releaseAll()
            isLost = isUnderWay
        }
    }

    private mutating func take(_ effect: Keymap.Effect) {
        switch effect {
        case .character(let character): add(character)
        case .end: add(Self.lineBreak)
        case .nothing: break
        }
    }

    private mutating func add(_ character: UInt8) {
        guard characters.count < Self.longest, character != Self.lineBreak || isUnderWay else { return }
        var character = [character]
        characters.append(wiping: &character)
    }

    private mutating func forget() {
        wipe(&characters)
        isLost = false
    }

    /// The swipe that has been typed; nil if it was not a swipe. Call it when no more keys arrive.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` if the reader encrypts in a format that is not known.
    package mutating func finish() throws(DeviceError) -> CapturedSwipe? {
        defer { forget() }
        // If keys are lost in the middle, the number may still look complete.
        if isLost {
            guard characters.contains(UInt8(ascii: "?")) else { return nil }
            return CapturedSwipe(
                tracks: Swipe(
                    track1: .failed(.saidByReader), track2: .failed(.saidByReader), track3: .failed(.saidByReader)))
        }
        let swipe = try CapturedSwipe(typed: characters)
        let isSwipe = swipe.encrypted != nil || characters.contains(UInt8(ascii: "?")) && swipe.tracks.hasTrack
        return isSwipe ? swipe : nil
    }
}

extension Swipe {
    fileprivate var hasTrack: Bool { TrackNumber.allCases.contains { self[$0] != .blank } }
}
