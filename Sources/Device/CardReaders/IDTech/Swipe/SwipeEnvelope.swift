package import DeviceIO

/// The envelope of a swipe from an ID TECH reader: 02, length of the data (2 bytes, low first),
/// data, exclusive or of the data, sum of the data, 03 (SecureMag user manual 80096504, "Data
/// format").
package enum SwipeEnvelope {
    static let start: UInt8 = 0x02
    static let end: UInt8 = 0x03
    /// The bytes around the data.
    static let overhead = 6
    /// Longer than any swipe.
    static let longestData = 2048

    package static func wrap(_ data: [UInt8]) -> [UInt8] {
        [start, UInt8(truncatingIfNeeded: data.count), UInt8(truncatingIfNeeded: data.count >> 8)] + data + [
            check(data), sum(data), end,
        ]
    }

    /// The data of the envelope at the beginning of `bytes`.
    ///
    /// - Returns: Nil if it is incomplete. Bytes after it are ignored.
    /// - Throws: ``DeviceError/malformed(_:_:)`` if it is not an envelope, or its checks are wrong.
    package static func unwrap(_ bytes: [UInt8]) throws(DeviceError) -> [UInt8]? {
        guard let first = bytes.first else { return nil }
        guard first == start else { throw .malformed(.idTechSwipe, .invalid) }
        guard bytes.count >= 3 else { return nil }
        let count = Int(bytes[1]) | Int(bytes[2]) << 8
        guard count <= longestData else { throw .malformed(.idTechSwipe, .tooLong(count)) }
        guard bytes.count >= count + overhead else { return nil }
        let data = Array(bytes[3..<(3 + count)])
        guard bytes[3 + count] == check(data), bytes[4 + count] == sum(data), bytes[5 + count] == end else {
            throw .malformed(.idTechSwipe, .wrongChecksum)
        }
        return data
    }

    private static func check(_ data: [UInt8]) -> UInt8 { data.reduce(0) { $0 ^ $1 } }
    private static func sum(_ data: [UInt8]) -> UInt8 { data.reduce(0) { $0 &+ $1 } }

    /// No received bytes are shown: reads may split a swipe anywhere, so each byte may be card
    /// data.
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in
        direction == .received ? [0..<bytes.count] : []
    }
}
