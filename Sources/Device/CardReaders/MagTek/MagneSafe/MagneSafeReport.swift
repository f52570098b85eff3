import Bytes
package import CardCapture
package import DeviceIO
package import MagneticStripe

/// The input report that a MagneSafe V5 reader sends for each swipe, whether or not a track could
/// be decoded (D99875475, "Card data").
package struct MagneSafeReport: Sendable {
    /// Older firmware ends after the absolute lengths.
    static let shortestLength = 856
    private static let trackLength = 112

    /// Bits of the reader encryption status.
    package struct EncryptionStatus: OptionSet, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        /// The reader has no DUKPT key left.
        package static let keysExhausted = EncryptionStatus(rawValue: 1 << 0)
        package static let hasKey = EncryptionStatus(rawValue: 1 << 1)
        /// Tracks are encrypted.
        package static let enciphers = EncryptionStatus(rawValue: 1 << 2)
        /// Security level 4: the reader reads only after authentication.
        package static let wantsAuthentication = EncryptionStatus(rawValue: 1 << 3)
        /// The authentication of security level 4 has timed out.
        package static let authenticationTimedOut = EncryptionStatus(rawValue: 1 << 4)
        package static let counterExpired = EncryptionStatus(rawValue: 1 << 8)
    }

    package let encodeType: EncodeType
    package let status: EncryptionStatus
    /// 10 bytes, zeros in a reader without a key.
    package let ksn: [UInt8]
    /// Empty if none is set.
    package let serialNumber: String
    /// Tracks that the reader sends in the clear, and those that it could not decode.
    package let tracks: Swipe
    /// Nil if the reader does not encrypt.
    package let encrypted: EncryptedTracks?
    /// 8 bytes, encrypted; zeros if the host set none.
    package let sessionID: [UInt8]
    /// How many more swipes can be encrypted; nil if the firmware does not report it.
    package let encryptionCounter: Int?

    /// - Parameter keyUse: The key variant that the reader encrypts with; the PIN variant unless it
    ///   was configured otherwise.
    /// - Throws: ``DeviceError/malformed(_:_:)`` if the report is too short, or a track is longer
    ///   than its field.
    package init(parsing bytes: [UInt8], keyUse: EncryptedTracks.KeyUse = .pinVariant) throws(DeviceError) {
        guard bytes.count >= Self.shortestLength else { throw .malformed(.magneSafeReport, .tooShort(bytes.count)) }
        encodeType = EncodeType(rawValue: bytes[6]) ?? .undetermined
        status = EncryptionStatus(rawValue: UInt16(bytes[493]) << 8 | UInt16(bytes[494]))
        ksn = Array(bytes[495..<505])
        serialNumber = String(decoding: bytes[477..<493].prefix { (0x20...0x7E).contains($0) }, as: UTF8.self)
        sessionID = Array(bytes[844..<852])
        encryptionCounter = bytes.count >= 859 ? Int(bytes[856]) << 16 | Int(bytes[857]) << 8 | Int(bytes[858]) : nil

        var swipe = Swipe()
        var cipher: EncryptedTracks?
        if status.contains(.enciphers) {
            cipher = EncryptedTracks(
                cipher: .tdes, keyUse: keyUse, ksn: ksn, ciphertexts: [:],
                serialNumber: serialNumber.isEmpty ? nil : serialNumber)
        }
        for track in TrackNumber.allCases {
            let index = track.rawValue - 1
            if bytes[index] & 0x01 != 0 {
                swipe[track] = .failed(.saidByReader)
                continue
            }
            let field = try Self.field(bytes, count: bytes[3 + index], at: 7 + index * Self.trackLength)
            guard cipher != nil else {
                swipe[track] = TrackReading(text: field, on: track)
                continue
            }
            guard !field.isEmpty else { continue }
            cipher?.ciphertexts[track] = Array(field)
            cipher?.lengths[track] = Int(bytes[852 + index])
            if encodeType == .iso {
                let masked = try Self.field(bytes, count: bytes[505 + index], at: 508 + index * Self.trackLength)
                cipher?.masked[track] = MaskedTrack.text(masked, track)
            }
        }
        tracks = swipe
        encrypted = cipher
    }

    private static func field(_ bytes: [UInt8], count: UInt8, at start: Int) throws(DeviceError) -> ArraySlice<UInt8> {
        guard count <= trackLength else { throw .malformed(.magneSafeTrack, .tooLong(Int(count))) }
        return bytes[start..<(start + Int(count))]
    }

    /// Hides tracks, masked tracks, the MagnePrint of the stripe and the hash of track 2.
    package static let redaction: WireRecorder.Redaction = { direction, channel, bytes in
        guard direction == .received, case .report = channel else { return [] }
        return [7..<343, 349..<477, 508..<844, 867..<887].map { $0.clamped(to: 0..<bytes.count) }.filter { !$0.isEmpty }
    }
}
