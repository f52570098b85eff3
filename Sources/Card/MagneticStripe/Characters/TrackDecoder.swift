private import Bytes

/// Reads one track from bits, from the times of flux transitions, or from a recorded waveform, in
/// both swipe directions.
///
/// The limits of ``TrackBits``, ``F2F`` and ``PeakDetector`` bound time and memory for any input.
public struct TrackDecoder: Sendable {
    public let track: TrackNumber

    public init(_ track: TrackNumber) {
        self.track = track
    }

    /// Bits in the order of reading; a backward swipe is recognised by its sentinels.
    public func read(_ bits: TrackBits) -> TrackReading {
        let backward = bits.reversed
        var best: Attempt?
        for code in track.codes {
            for (bits, direction) in [(bits, SwipeDirection.forward), (backward, .backward)] {
                guard let attempt = Self.attempt(bits, code) else { continue }
                if let text = attempt.text { return .read(text, direction) }
                if attempt.goodCharacters > best?.goodCharacters ?? 0 { best = attempt }
            }
        }
        if let error = best?.error { return .failed(error) }
        return bits.storage.withBytes { bits in bits.indices.allSatisfy { bits[$0] == 0 } }
            ? .blank : .failed(.noStartSentinel)
    }

    /// The track as read from one start sentinel.
    private struct Attempt {
        var text: TrackText?
        var error: TrackError?
        /// The number of characters before the first wrong one.
        var goodCharacters: Int
    }

    /// The minimum number of clocking zeros before a start sentinel that is not at the beginning of
    /// the track. Characters of the numeric code never have so many zeros between them.
    private static let clockingZeros = 7

    /// After this number of good characters the start sentinel is accepted, regardless of the rest.
    private static let convincing = 6

    /// The first successful attempt, else the one that read the most; nil without a start sentinel.
    private static func attempt(_ bits: TrackBits, _ code: CharacterCode) -> Attempt? {
        var best: Attempt?
        bits.storage.withBytes { bits in
            var zeros = clockingZeros
            for start in bits.indices {
                if bits[start] == 0 {
                    zeros += 1
                    continue
                }
                defer { zeros = 0 }
                guard zeros >= clockingZeros, let attempt = attempt(bits, at: start, code) else { continue }
                if attempt.goodCharacters > best?.goodCharacters ?? 0 || attempt.text != nil { best = attempt }
                if attempt.text != nil || attempt.goodCharacters > convincing { return }
            }
        }
        return best
    }

    /// Nil if there is no start sentinel with a following character at `start`.
    private static func attempt(_ bits: Span<UInt8>, at start: Int, _ code: CharacterCode) -> Attempt? {
        let width = code.bitsPerCharacter
        func character(_ index: Int) -> UInt8? {
            let first = start + index * width
            guard first + width <= bits.count else { return nil }
            return (0..<width).reduce(0) { $0 | bits[first + $1] << $1 }
        }
        guard let sentinel = code.code(for: code.startSentinel), character(0) == sentinel else { return nil }
        var codes: [UInt8] = [sentinel]
        var characters: [UInt8] = []
        defer {
            wipe(&codes)
            wipe(&characters)
        }
        var firstBad: Int?
        var bad = 0
        while let next = character(codes.count) {
            // Trailing zeros are the clock after the track.
            let rest = start + codes.count * width
            if next == 0, (rest..<bits.count).allSatisfy({ bits[$0] == 0 }) { break }
            codes.append(next)
            guard let decoded = code.character(for: next), decoded != code.startSentinel else {
                firstBad = firstBad ?? codes.count - 1
                bad += 1
                continue
            }
            if decoded == code.endSentinel {
                guard codes.count > 2 else { return nil }
                var attempt = Attempt(goodCharacters: firstBad ?? codes.count)
                if let firstBad {
                    attempt.error = .unreadable(position: firstBad, count: bad)
                } else if let check = character(codes.count), check != 0 {
                    let end = rest + 2 * width
                    let isQuiet = (end..<min(end + clockingZeros, bits.count)).allSatisfy { bits[$0] == 0 }
                    attempt.error = isQuiet && check == code.redundancyCheck(codes) ? nil : .redundancyCheck
                } else {
                    attempt.error = .noRedundancyCheck
                }
                if attempt.error == nil { attempt.text = TrackText(SecretBytes(wiping: &characters), code: code) }
                return attempt
            }
            characters.append(decoded)
        }
        let error: TrackError =
            firstBad.map { .unreadable(position: $0, count: bad) } ?? .noEndSentinel(characters: codes.count)
        return Attempt(error: error, goodCharacters: firstBad ?? codes.count)
    }
}
