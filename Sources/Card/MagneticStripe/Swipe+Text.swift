private import Bytes

extension Swipe {
    /// A swipe in the text of a decoding reader: each track from its start sentinel to `?`, one
    /// after the other.
    ///
    /// A track 3 begins with `;`, `+`, `#`, `!`, `&`, `@` or a second `%`, depending on the reader.
    /// `E` in place of a track means that the reader could not decode it. Text that the reader adds
    /// before, between and after the tracks (redundancy checks, line ends, its own name) is
    /// skipped. Letters may be in lower case, depending on the keyboard's caps lock.
    ///
    /// A reader that encrypts adds its ciphertexts and a key serial number to tracks that it masks.
    /// Zeros may mask them, and the check digit be right (MagTek D99875475, "ISO Track Masking"):
    /// only the added data tell such tracks from the card's. They are
    /// ``TrackError/maskedByReader``.
    public init(text: some StringProtocol) { self.init(text: text.utf8) }

    /// The same for characters that must not be in a string, which cannot be wiped.
    public init(text: some Collection<UInt8>) {
        self.init()
        var typed = TypedTracks(text)
        defer { typed.wipe() }
        for found in typed.tracks {
            // What seemed to be a track 3 was text before the tracks.
            if found.track != .three { track3 = .blank }
            var characters = typed.characters(found.content)
            self[found.track] = TrackReading(wiping: &characters, on: found.track, isWhole: found.isWhole)
        }
        guard typed.isEncrypted else { return }
        for track in TrackNumber.allCases where self[track] != .blank && self[track] != .failed(.saidByReader) {
            self[track] = .failed(.maskedByReader)
        }
    }
}

extension TrackNumber {
    /// The start sentinels that readers type before track 3 alone.
    package static let sentinelsOfTrack3 = Array("+#!&@".utf8)
    /// All start sentinels that readers type.
    package static let typedSentinels = Array("%;".utf8) + sentinelsOfTrack3

    /// The track that a reader types after the start `sentinel`: a `%` after another track, or a
    /// second `;`, begins track 3.
    ///
    /// - Parameter found: The tracks before it.
    package init(typed sentinel: UInt8, after found: [TrackNumber]) {
        switch sentinel {
        case UInt8(ascii: "%"): self = found.contains(.one) || found.contains(.two) ? .three : .one
        case UInt8(ascii: ";"): self = found.contains(.two) ? .three : .two
        default: self = .three
        }
    }
}

/// The places of the tracks in the text of a reader.
private struct TypedTracks {
    struct Found {
        let track: TrackNumber
        /// Between the sentinels.
        let content: Range<Int>
        let isWhole: Bool
    }

    private(set) var tracks: [Found] = []
    /// Whether the text around the tracks has more than a reader's own words: ciphertexts.
    private(set) var isEncrypted = false
    /// Letters are in upper case.
    private var bytes: [UInt8] = []

    /// Three tracks, and three ciphertexts with what belongs to them, are shorter.
    private static let longestText = 4096
    /// Texts that readers add at most have 15 characters (ID TECH 80096504, "Preamble Setting");
    /// two blocks of TDES in hexadecimal digits have more.
    private static let longestWord = 15

    init(_ text: some Collection<UInt8>) {
        bytes.reserveCapacity(min(text.count, Self.longestText))
        for byte in text.prefix(Self.longestText) { bytes.append((0x61...0x7A).contains(byte) ? byte - 0x20 : byte) }
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "?"))
            let piece = start..<(end ?? bytes.count)
            let sentinel = end == nil ? brokenOff(piece) : sentinel(in: piece)
            if let sentinel {
                tracks.append(
                    Found(
                        track: track(bytes[sentinel]), content: (sentinel + 1)..<piece.upperBound, isWhole: end != nil))
            }
            // A track without a start sentinel is not data of the reader.
            if sentinel != nil || end == nil {
                isEncrypted = isEncrypted || hasData(piece.lowerBound..<(sentinel ?? piece.upperBound))
            }
            start = piece.upperBound + 1
        }
        // The bar is in no track: it separates the fields of readers that encrypt.
        isEncrypted = isEncrypted || bytes.contains(UInt8(ascii: "|"))
    }

    mutating func wipe() { Bytes.wipe(&bytes) }

    func characters(_ content: Range<Int>) -> [UInt8] { Array(bytes[content]) }

    private func track(_ sentinel: UInt8) -> TrackNumber { TrackNumber(typed: sentinel, after: tracks.map(\.track)) }

    /// The place of the start sentinel of a track that ends at the end of `piece`; nil without one.
    ///
    /// Within the data of a track the characters of sentinels are not allowed (ISO/IEC 7811-2,
    /// table 1), so the last one that begins a track is right.
    private func sentinel(in piece: Range<Int>) -> Int? {
        let regular = piece.filter { bytes[$0] == UInt8(ascii: "%") || bytes[$0] == UInt8(ascii: ";") }
        if let last = regular.last(where: { isTrack(($0 + 1)..<piece.upperBound, after: bytes[$0]) }) { return last }
        let others = piece.filter { TrackNumber.sentinelsOfTrack3.contains(bytes[$0]) }
        return others.first { isTrack(($0 + 1)..<piece.upperBound, after: bytes[$0]) } ?? regular.last ?? others.first
    }

    /// The same for a track without an end sentinel, at the end of the text.
    private func brokenOff(_ piece: Range<Int>) -> Int? {
        guard let sentinel = sentinel(in: piece) else { return nil }
        let content = (sentinel + 1)..<piece.upperBound
        switch bytes[sentinel] {
        case UInt8(ascii: "%"): return !hasData(content) || bytes[content].contains(UInt8(ascii: "^")) ? sentinel : nil
        case UInt8(ascii: ";"): return !hasData(content) || isNumeric(content) ? sentinel : nil
        // A redundancy check may be before it.
        default: return sentinel - piece.lowerBound <= 1 && (!hasData(content) || isNumeric(content)) ? sentinel : nil
        }
    }

    private func isTrack(_ content: Range<Int>, after sentinel: UInt8) -> Bool {
        let content = bytes[content]
        if content.elementsEqual("E".utf8) { return true }
        let codes: [CharacterCode] =
            switch sentinel {
            case UInt8(ascii: "%"): [.alphanumeric]
            case UInt8(ascii: ";"): [.numeric]
            default: CharacterCode.allCases
            }
        return codes.contains { code in content.allSatisfy { code.code(for: $0) != nil } }
    }

    private func isNumeric(_ content: Range<Int>) -> Bool {
        bytes[content].allSatisfy { CharacterCode.numeric.code(for: $0) != nil }
    }

    /// Whether there is a longer word of letters and digits, as in hexadecimal and base 64, than a
    /// reader adds as text.
    private func hasData(_ range: Range<Int>) -> Bool {
        var length = 0
        for byte in bytes[range] {
            let isPart = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || "+/=".utf8.contains(byte)
            length = isPart ? length + 1 : 0
            if length > Self.longestWord { return true }
        }
        return false
    }
}
