import Bytes
package import DeviceIO
package import MagneticStripe

/// The answer to a read command: escape `s`, each track after escape and its number, `?` and a file
/// separator, escape and status (MSR605 programmer's manual, section 7).
package struct MSR605Swipe: Sendable {
    package let tracks: Swipe
    package let status: MSR605Status

    /// Longer than any answer.
    static let longest = 1024

    private static let escape = MSR605Command.escape

    /// Parses an answer while it arrives.
    ///
    /// - Parameter raw: Whether codes were requested; each track then begins with its length.
    /// - Returns: Nil if it is incomplete.
    /// - Throws: ``DeviceError/malformed(_:_:)`` as soon as the bytes cannot be an answer.
    package static func parse(_ bytes: [UInt8], raw: Bool) throws(DeviceError) -> MSR605Swipe? {
        var rest = bytes[...]
        guard try expect(&rest, [escape, 0x73], in: bytes) else { return nil }
        var swipe = Swipe()
        var lastTrack = 0
        while true {
            guard let next = rest.first else { return try incomplete(bytes) }
            if next == MSR605Command.end[0] { break }
            guard next == escape else { throw .malformed(.msr605Track, .invalid) }
            guard rest.count >= 2 else { return try incomplete(bytes) }
            guard let track = TrackNumber(rawValue: Int(rest[rest.startIndex + 1])), track.rawValue > lastTrack else {
                throw .malformed(.msr605Track, .invalid)
            }
            lastTrack = track.rawValue
            rest = rest.dropFirst(2)
            guard let reading = raw ? rawReading(&rest, track) : reading(&rest, track) else {
                return try incomplete(bytes)
            }
            swipe[track] = reading
        }
        guard try expect(&rest, MSR605Command.end + [escape], in: bytes) else { return nil }
        guard let code = rest.first else { return nil }
        guard let status = MSR605Status(rawValue: code) else { throw .malformed(.msr605Status, .invalid) }
        return MSR605Swipe(tracks: swipe, status: status)
    }

    private static func incomplete(_ bytes: [UInt8]) throws(DeviceError) -> MSR605Swipe? {
        guard bytes.count < longest else { throw .malformed(.msr605Answer, .tooLong(bytes.count)) }
        return nil
    }

    /// Consumes `expected`; false if it is still incomplete.
    private static func expect(_ rest: inout ArraySlice<UInt8>, _ expected: [UInt8], in bytes: [UInt8])
        throws(DeviceError) -> Bool
    {
        guard rest.elementsEqual(expected.prefix(rest.count)) || rest.starts(with: expected) else {
            throw .malformed(.msr605Answer, .invalid)
        }
        guard rest.count >= expected.count else { return false }
        rest = rest.dropFirst(expected.count)
        return true
    }

    /// Nil if the track is still incomplete.
    private static func rawReading(_ rest: inout ArraySlice<UInt8>, _ track: TrackNumber) -> TrackReading? {
        guard let count = rest.first, rest.count > Int(count) else { return nil }
        let codes = rest.dropFirst().prefix(Int(count))
        rest = rest.dropFirst(1 + Int(count))
        // The reader is configured for the standard code of each track; with another code the bits
        // are the same.
        return TrackDecoder(track).read(TrackBits(codes: codes, bitsPerCharacter: track.codes[0].bitsPerCharacter))
    }

    /// Characters up to the next escape or the end; escape `+` stands for a blank track and escape
    /// `*` for one that could not be read.
    private static func reading(_ rest: inout ArraySlice<UInt8>, _ track: TrackNumber) -> TrackReading? {
        if rest.first == escape {
            guard rest.count >= 2 else { return nil }
            switch rest[rest.startIndex + 1] {
            case UInt8(ascii: "+"):
                rest = rest.dropFirst(2)
                return .blank
            case UInt8(ascii: "*"):
                rest = rest.dropFirst(2)
                return .failed(.saidByReader)
            default: return .blank
            }
        }
        if rest.starts(with: MSR605Command.end) { return .blank }
        guard let sentinel = rest.firstIndex(of: UInt8(ascii: "?")), sentinel + 1 < rest.endIndex else { return nil }
        // After the end sentinel comes the next track or the final `?`.
        defer { rest = rest[(sentinel + 1)...] }
        return TrackReading(text: rest[...sentinel], on: track)
    }

    /// No received bytes are shown: reads may split an answer anywhere, so each byte may be card
    /// data. Only the letter of a sent command is shown. Reports are not shown, because they split
    /// commands, too.
    package static let redaction: WireRecorder.Redaction = { direction, channel, bytes in
        let isCommand = direction == .sent && channel == .stream && bytes.first == escape
        return [(isCommand ? min(2, bytes.count) : 0)..<bytes.count]
    }
}
