private import Bytes

extension TrackBits {
    /// The complete track for writing: clocking zeros, start sentinel, `text`, end sentinel,
    /// redundancy check, clocking zeros (ISO/IEC 7811-2).
    public init(writing text: TrackText, on track: TrackNumber, clockingZeros: Int = 24) throws(TrackWritingError) {
        let code = text.code
        guard track.codes.contains(code) else { throw .code }
        guard text.characters.count + 3 <= track.capacity(code) else {
            throw .tooLong(maximum: track.capacity(code) - 3)
        }
        var characters = text.characters.revealed()
        var codes: [UInt8] = []
        defer {
            wipe(&characters)
            wipe(&codes)
        }
        for (index, character) in characters.enumerated() {
            guard character != code.startSentinel, character != code.endSentinel, let next = code.code(for: character)
            else {
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

/// Why a text cannot be written on a track. No case repeats the text.
public enum TrackWritingError: Error, Equatable, Sendable {
    /// The track does not use the text's code.
    case code
    /// The character is not in the code, or it is a sentinel; counted from 0 after the start
    /// sentinel.
    case character(position: Int)
    /// More than `maximum` characters between the sentinels.
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
