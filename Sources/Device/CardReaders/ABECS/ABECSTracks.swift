import Bytes
import MagneticStripe

extension Swipe {
    /// The clear tracks of an answer to GTK, without sentinels: track 1 in ASCII, the others with a
    /// half byte for each character and `F` after the last (ABECS 2.12, 3.1.3.2 and 3.3.12).
    /// Missing tracks could not be read.
    /// - Returns: Nil if the data are not tracks.
    init?(_ answer: ABECSAnswer) {
        guard let parameters = answer.parameters else { return nil }
        self.init()
        for parameter in parameters {
            switch ABECSParameter.ID(rawValue: parameter.id) {
            case .track1: track1 = Self.reading(parameter.value, .alphanumeric)
            case .track2: track2 = Self.reading(Self.unpacked(parameter.value), .numeric)
            case .track3: track3 = Self.reading(Self.unpacked(parameter.value), .numeric)
            default: break
            }
        }
    }

    private static func unpacked(_ packed: [UInt8]) -> [UInt8] {
        var characters = packed.flatMap { [0x30 + ($0 >> 4), 0x30 + ($0 & 0x0F)] }
        while characters.last == 0x3F { characters.removeLast() }
        return characters
    }

    private static func reading(_ characters: [UInt8], _ code: CharacterCode) -> TrackReading {
        var characters = characters
        defer { wipe(&characters) }
        if characters.first == code.startSentinel { characters.removeFirst() }
        if characters.last == code.endSentinel { characters.removeLast() }
        guard !characters.isEmpty else { return .blank }
        // Characters outside the set mean that the track is encrypted or not a track.
        guard characters.allSatisfy({ code.code(for: $0) != nil }) else { return .failed(.saidByReader) }
        return .read(TrackText(SecretBytes(wiping: &characters), code: code), .forward)
    }
}
