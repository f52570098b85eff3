private import Bytes

extension TrackReading {
    /// A track from a decoding reader: ASCII from the start sentinel to `?`. The characters after
    /// it (redundancy check, padding) are ignored.
    ///
    /// The start sentinel may be any that readers use. No characters mean a blank track; `E` in
    /// place of the characters means that the reader could not decode the track.
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

    /// Longer than any track with its sentinels.
    private static let longestText = 256

    /// Those of ISO/IEC 7811-2 and those that readers use instead to distinguish the tracks.
    private static let startSentinels = Set("%;+#!&@".utf8)

    /// Copies `characters`, those between the sentinels, and wipes them.
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
        guard let code = track.codes.first(where: { code in characters.allSatisfy { code.code(for: $0) != nil } })
        else {
            let strange = characters.indices.filter { index in
                track.codes.allSatisfy { $0.code(for: characters[index]) == nil }
            }
            self = .failed(.unreadable(position: (strange.first ?? 0) + 1, count: max(1, strange.count)))
            return
        }
        self = .read(TrackText(SecretBytes(wiping: &characters), code: code), .forward)
    }
}
