private import Bytes

extension Swipe {
    /// A swipe in the text of a decoding reader: each track from its start sentinel to `?`, one
    /// after the other.
    ///
    /// A track 3 begins with `;`, `+`, `#`, `!`, `&` or a second `%`, depending on the reader. `E`
    /// in place of a track means that the reader could not decode it. Characters between tracks
    /// (redundancy checks, line ends) are skipped. Letters may be in lower case, depending on the
    /// keyboard's caps lock.
    public init(text: some StringProtocol) { self.init(text: text.utf8) }

    /// The same for characters that must not be in a string, which cannot be wiped.
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

    /// Three tracks and the characters between them are shorter.
    private static let longestText = 1024

    /// The track that begins with `character`, depending on the tracks read so far; nil if there is
    /// none.
    private func track(beginningWith character: UInt8) -> TrackNumber? {
        switch character {
        case UInt8(ascii: "%"): track1 == .blank && track2 == .blank ? .one : .three
        case UInt8(ascii: ";"): track2 == .blank && track3 == .blank ? .two : .three
        case UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: "!"), UInt8(ascii: "&"): .three
        default: nil
        }
    }
}
