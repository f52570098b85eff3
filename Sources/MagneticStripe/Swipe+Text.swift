private import Bytes

extension Swipe {
    /// A swipe as a reader that decodes it types or sends it: each track from its start sentinel to `?`, one after the other.
    ///
    /// A track 3 begins with `;`, `+`, `#`, `!`, `&` or a second `%`, as readers have it. `E` in the place of a track is the reader's word
    /// for one that it could not decode. What stands between tracks (redundancy checks, line ends) is passed over. Letters may come in
    /// lower case, as the keyboard's lock has it.
    public init(text: some StringProtocol) { self.init(text: text.utf8) }

    /// The same of characters that are not to be in a string, which nothing wipes.
    public init(text: some Collection<UInt8>) {
        self.init()
        var bytes = Array(text.prefix(Self.longestText))
        defer { wipe(&bytes) }
        var start = bytes.startIndex
        while start < bytes.endIndex {
            guard let track = track(beginningWith: bytes[start]) else {
                start += 1
                continue
            }
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "?"))
            var characters = bytes[(start + 1)..<(end ?? bytes.endIndex)].map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
            self[track] = TrackReading(wiping: &characters, on: track, isWhole: end != nil)
            start = (end ?? bytes.endIndex - 1) + 1
        }
    }

    /// Three tracks and what may stand between them take less.
    private static let longestText = 1024

    /// The track that begins with `character`, given what has been read already; nil if no track
    /// does.
    private func track(beginningWith character: UInt8) -> TrackNumber? {
        switch character {
        case UInt8(ascii: "%"): track1 == .blank && track2 == .blank ? .one : .three
        case UInt8(ascii: ";"): track2 == .blank && track3 == .blank ? .two : .three
        case UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: "!"), UInt8(ascii: "&"): .three
        default: nil
        }
    }
}
