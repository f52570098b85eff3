private import Bytes

extension TrackBits {
    /// The whole track as it is written: clocking zeros, start sentinel, `text`, end sentinel, redundancy check, clocking zeros (ISO/IEC
    /// 7811-2).
    public init(writing text: TrackText, on track: TrackNumber, clockingZeros: Int = 24) throws(TrackWritingError) {
        let code = text.code
        guard track.codes.contains(code) else { throw .code }
        guard text.characters.count + 3 <= track.capacity(code) else { throw .tooLong(maximum: track.capacity(code) - 3) }
        var characters = text.characters.revealed()
        var codes: [UInt8] = []
        defer {
            wipe(&characters)
            wipe(&codes)
        }
        for (index, character) in characters.enumerated() {
            guard character != code.startSentinel, character != code.endSentinel, let next = code.code(for: character) else {
                throw .character(position: index)
            }
            codes.append(next)
        }
        codes.insert(contentsOf: [code.startSentinel].compactMap(code.code(for:)), at: 0)
        codes.append(contentsOf: [code.endSentinel].compactMap(code.code(for:)))
        codes.append(code.redundancyCheck(codes))
        let zeros = [UInt8](repeating: 0, count: min(max(0, clockingZeros), Self.maximumCount / 4))
        var bits = zeros + codes.flatMap { code in (0..<text.code.bitsPerCharacter).map { code >> $0 & 1 } } + zeros
        self.init(wiping: &bits)
    }
}

/// Why a text cannot be written on a track. No case repeats it.
public enum TrackWritingError: Error, Equatable, Sendable {
    /// The track is not written in the text's code.
    case code
    /// The code does not have the character, or it is a sentinel; counted from 0 after the start sentinel.
    case character(position: Int)
    /// More than so many characters between the sentinels.
    case tooLong(maximum: Int)
}

extension TrackWritingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .code: "the track is written in another code"
        case .character(let position): "character \(position + 1) cannot be written on this track"
        case .tooLong(let maximum): "the track holds \(maximum) characters at most between its sentinels"
        }
    }
}
