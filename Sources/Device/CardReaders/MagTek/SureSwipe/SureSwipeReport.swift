import Bytes
package import DeviceIO
package import MagneticStripe

/// The input report that a SureSwipe reader sends for each swipe (99875191, USB HID SureSwipe
/// reader).
///
/// Decode status of each track (3 bytes, bit 0 set for an error), length of each track (3), encode
/// type, three tracks of 110 bytes.
package struct SureSwipeReport: Sendable {
    static let length = 337
    private static let trackLength = 110
    private static let firstTrack = 7

    package let tracks: Swipe
    package let encodeType: EncodeType

    /// - Throws: ``DeviceError/malformed(_:_:)`` if the report has another length, or a track is
    ///   longer than its field.
    package init(parsing bytes: [UInt8]) throws(DeviceError) {
        guard bytes.count == Self.length else { throw .malformed(.sureSwipeReport, .wrongLength(bytes.count)) }
        var swipe = Swipe()
        for track in TrackNumber.allCases {
            let index = track.rawValue - 1
            let count = Int(bytes[3 + index])
            guard count <= Self.trackLength else { throw .malformed(.sureSwipeTrack, .tooLong(count)) }
            let start = Self.firstTrack + index * Self.trackLength
            swipe[track] =
                bytes[index] & 0x01 != 0
                ? .failed(.saidByReader) : TrackReading(text: bytes[start..<(start + count)], on: track)
        }
        tracks = swipe
        encodeType = EncodeType(rawValue: bytes[6]) ?? .undetermined
    }

    /// Everything except the lengths may be card data.
    package static let redaction: WireRecorder.Redaction = { direction, channel, bytes in
        guard direction == .received, case .report = channel else { return [] }
        return [min(firstTrack, bytes.count)..<bytes.count]
    }
}
