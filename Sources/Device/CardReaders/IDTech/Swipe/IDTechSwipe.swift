import Bytes
package import CardCapture
package import DeviceIO
package import MagneticStripe

/// The data of a swipe from an ID TECH reader that encrypts, in the original or the enhanced format
/// (SecureMag user manual 80096504, "DUKPT Level 3 data output"; 80000502-001, ID TECH encrypted
/// data output).
///
/// Type, track status and three lengths; in the enhanced format also two bytes that say what
/// follows, with optional bytes after them. Then clear or masked tracks, encrypted tracks, session
/// identifier, hashes, serial number, key serial number.
package struct IDTechSwipe: Sendable {
    package let tracks: Swipe
    package let encrypted: EncryptedTracks?
    /// SHA-1 or SHA-256 of a track, for readers that send it: the same card gives the same value.
    package let hashes: [TrackNumber: [UInt8]]
    /// 8 bytes, if the host set one.
    package let sessionID: [UInt8]?

    /// Bits of the first of the two bytes of the enhanced format.
    private struct Shown: OptionSet {
        let rawValue: UInt8
        /// One key for all swipes in place of DUKPT.
        static let fixedKey = Shown(rawValue: 1 << 3)
        static let aes = Shown(rawValue: 1 << 4)
        static let pinVariant = Shown(rawValue: 1 << 6)
        static let serialNumber = Shown(rawValue: 1 << 7)
    }

    /// Bits of the second byte.
    private struct Protected: OptionSet {
        let rawValue: UInt8
        static let sessionID = Protected(rawValue: 1 << 6)
        static let keySerialNumber = Protected(rawValue: 1 << 7)
    }

    /// Bits of the first optional byte.
    private struct Options: OptionSet {
        let rawValue: UInt8
        static let sha256 = Options(rawValue: 1 << 0)
        /// Another scheme than DUKPT.
        static let otherScheme = Options(rawValue: 1 << 1)
        /// A MAC follows the key serial number.
        static let mac = Options(rawValue: 1 << 5)
    }

    private static let hasOptions: UInt8 = 1 << 6
    private static let sessionIDLength = 8

    /// - Parameter options: The settings that the original format does not contain.
    /// - Throws: ``DeviceError/malformed(_:_:)`` if the data are shorter or longer than their
    ///   lengths say.
    package init(parsing data: [UInt8], _ options: OriginalFormat = OriginalFormat()) throws(DeviceError) {
        var reader = FieldReader(data)
        let (type, status) = (try reader.byte(), try reader.byte())
        var counts: [TrackNumber: Int] = [:]
        for track in TrackNumber.allCases { counts[track] = Int(try reader.byte()) }
        let decoded = TrackNumber.allCases.filter { status & 1 << ($0.rawValue - 1) != 0 }
        var swipe = Swipe()
        // The track has data that could not be decoded.
        for track in TrackNumber.allCases where status & 0x08 << (track.rawValue - 1) != 0 && !decoded.contains(track) {
            swipe[track] = .failed(.saidByReader)
        }
        let fields =
            type & 0x80 != 0
            ? try Self.enhanced(&reader, counts, status)
            : try Self.original(&reader, counts, isPaymentCard: type == 0, options)
        guard reader.isAtEnd || fields.hasMAC else { throw .malformed(.idTechSwipe, .excessBytes) }

        for (track, text) in fields.clear where !text.isEmpty { swipe[track] = TrackReading(text: text, on: track) }
        tracks = swipe
        hashes = fields.hashes
        sessionID = fields.sessionID
        encrypted = fields.encrypted.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The reader's settings, which the original format does not contain.
    package struct OriginalFormat: Sendable {
        package var cipher: EncryptedTracks.Cipher
        package var keyUse: EncryptedTracks.KeyUse
        package init(cipher: EncryptedTracks.Cipher = .tdes, keyUse: EncryptedTracks.KeyUse = .dataVariant) {
            self.cipher = cipher
            self.keyUse = keyUse
        }
    }

    /// The fields after the lengths.
    private struct Fields {
        var clear: [TrackNumber: ArraySlice<UInt8>] = [:]
        var encrypted: EncryptedTracks?
        var hashes: [TrackNumber: [UInt8]] = [:]
        var sessionID: [UInt8]?
        /// It follows the other fields. It is not checked here, because that requires its key.
        var hasMAC = false
    }

    private static func enhanced(
        _ reader: inout FieldReader, _ counts: [TrackNumber: Int], _ status: UInt8
    ) throws(DeviceError) -> Fields {
        let (shown, protected) = (try reader.byte(), try reader.byte())
        var options = Options()
        if status & hasOptions != 0 { options = Options(rawValue: try reader.take(Int(try reader.byte())).first ?? 0) }
        guard !options.contains(.otherScheme), !Shown(rawValue: shown).contains(.fixedKey) else {
            throw .rejected(.keyManagementNotDUKPT)
        }
        let cipher: EncryptedTracks.Cipher = Shown(rawValue: shown).contains(.aes) ? .aes : .tdes
        var fields = Fields()
        var encrypted = EncryptedTracks(
            cipher: cipher, keyUse: Shown(rawValue: shown).contains(.pinVariant) ? .pinVariant : .dataVariant, ksn: [],
            ciphertexts: [:])
        var texts: [TrackNumber: ArraySlice<UInt8>] = [:]
        for track in TrackNumber.allCases where shown & bit(track) != 0 {
            texts[track] = try reader.take(counts[track] ?? 0)
        }
        for track in TrackNumber.allCases where protected & bit(track) != 0 {
            encrypted.ciphertexts[track] = Array(try reader.take(wholeBlocks(counts[track] ?? 0, cipher)))
            encrypted.lengths[track] = counts[track]
        }
        if Protected(rawValue: protected).contains(.sessionID) {
            fields.sessionID = Array(try reader.take(sessionIDLength))
        }
        for track in TrackNumber.allCases where protected & bit(track) << 3 != 0 {
            fields.hashes[track] = Array(try reader.take(options.contains(.sha256) ? 32 : 20))
        }
        if Shown(rawValue: shown).contains(.serialNumber) {
            encrypted.serialNumber = String(
                decoding: try reader.take(10).filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
        }
        if Protected(rawValue: protected).contains(.keySerialNumber) { encrypted.ksn = Array(try reader.take(10)) }
        // A text with a ciphertext is masked; a text without one is clear.
        for (track, text) in texts {
            if encrypted.ciphertexts[track] == nil {
                fields.clear[track] = text
            } else {
                encrypted.masked[track] = masked(text)
            }
        }
        fields.encrypted = encrypted
        fields.hasMAC = options.contains(.mac)
        return fields
    }

    /// Tracks 1 and 2 of a payment card are masked, and encrypted together; track 3 and all tracks
    /// of other cards are in the clear.
    private static func original(
        _ reader: inout FieldReader, _ counts: [TrackNumber: Int], isPaymentCard: Bool, _ options: OriginalFormat
    ) throws(DeviceError) -> Fields {
        var fields = Fields()
        var texts: [TrackNumber: ArraySlice<UInt8>] = [:]
        for track in TrackNumber.allCases { texts[track] = try reader.take(counts[track] ?? 0) }
        let joined = [TrackNumber.one, .two].filter { counts[$0] ?? 0 > 0 }
        guard isPaymentCard, !joined.isEmpty else {
            fields.clear = texts
            return fields
        }
        let count = joined.reduce(0) { $0 + (counts[$1] ?? 0) }
        var encrypted = EncryptedTracks(cipher: options.cipher, keyUse: options.keyUse, ksn: [], ciphertexts: [:])
        encrypted.joined = EncryptedTracks.Joined(
            tracks: joined, ciphertext: Array(try reader.take(wholeBlocks(count, options.cipher))))
        // The remaining length says whether there is a session identifier before the hashes.
        if reader.count == sessionIDLength + joined.count * 20 + 10 {
            fields.sessionID = Array(try reader.take(sessionIDLength))
        }
        for track in joined {
            fields.hashes[track] = Array(try reader.take(20))
            encrypted.lengths[track] = counts[track]
            encrypted.masked[track] = texts[track].map(masked)
        }
        fields.clear[.three] = texts[.three]
        encrypted.ksn = Array(try reader.take(10))
        fields.encrypted = encrypted
        return fields
    }

    private static func bit(_ track: TrackNumber) -> UInt8 { 1 << (track.rawValue - 1) }

    private static func wholeBlocks(_ count: Int, _ cipher: EncryptedTracks.Cipher) -> Int {
        let block = cipher == .tdes ? 8 : 16
        return (count + block - 1) / block * block
    }

    /// The text up to the end sentinel. In the original format, the format code of track 1 is
    /// masked, too.
    private static func masked(_ text: ArraySlice<UInt8>) -> String {
        let end = text.firstIndex(of: UInt8(ascii: "?")).map { $0 + 1 } ?? text.endIndex
        return String(decoding: text[..<end].map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "*") }, as: UTF8.self)
    }
}

/// Reads fields one after the other.
struct FieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var count: Int { rest.count }
    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() throws(DeviceError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .malformed(.idTechSwipe, .truncated) }
        return byte
    }

    mutating func take(_ count: Int) throws(DeviceError) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw .malformed(.idTechSwipe, .truncated) }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
