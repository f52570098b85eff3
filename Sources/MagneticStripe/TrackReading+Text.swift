private import Bytes

extension TrackReading {
    /// A track from a reader that decodes it: ASCII from the start sentinel to `?`. The characters
    /// behind that (redundancy check, filling) are ignored.
    ///
    /// The start sentinel may be any that readers use. Nothing at all is a blank track; `E` in the place of the characters is the reader's word
    /// for a track that it could not decode.
    public init(text: some Collection<UInt8>, on track: TrackNumber) {
        let text = text.prefix(Self.longestText)
        guard let first = text.first, first != 0 else {
            self = .blank
            return
        }
        guard Self.startSentinels.contains(first) else {
            self = .failed(.noStartSentinel)
            return
        }
        let rest = text.dropFirst()
        let end = rest.firstIndex(of: UInt8(ascii: "?"))
        var characters = Array(end.map { rest[..<$0] } ?? rest)
        self.init(wiping: &characters, on: track, isWhole: end != nil)
    }

    /// No track with its sentinels is as long.
    private static let longestText = 256

    /// Those of ISO/IEC 7811-2 and those that readers put in their place to tell the tracks apart.
    private static let startSentinels = Set("%;+#!&@".utf8)

    /// Takes `characters`, those between the sentinels, over and wipes them.
    init(wiping characters: inout [UInt8], on track: TrackNumber, isWhole: Bool) {
        defer { wipe(&characters) }
        if isWhole, characters == [UInt8(ascii: "E")] {
            self = .failed(.saidByReader)
            return
        }
        guard isWhole else {
            self = .failed(.noEndSentinel(characters: characters.count + 1))
            return
        }
        if characters.isEmpty {
            self = .blank
            return
        }
        guard let code = track.codes.first(where: { code in characters.allSatisfy { code.code(for: $0) != nil } }) else {
            let strange = characters.indices.filter { index in track.codes.allSatisfy { $0.code(for: characters[index]) == nil } }
            self = .failed(.unreadable(position: (strange.first ?? 0) + 1, count: max(1, strange.count)))
            return
        }
        self = .read(TrackText(SecretBytes(wiping: &characters), code: code), .forward)
    }
}
