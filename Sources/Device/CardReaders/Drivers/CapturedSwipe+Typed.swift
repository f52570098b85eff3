import Bytes
import CardCapture
import DeviceIO
import MagneticStripe

extension CapturedSwipe {
    /// A swipe in the text of a reader, in the clear or encrypted.
    ///
    /// The encrypted formats are those that readers of MagTek and ID TECH type as keyboards: masked
    /// tracks, and fields in hexadecimal digits.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` if the reader encrypts in another format: its masked
    ///   number must not pass for the card's.
    init(typed text: [UInt8]) throws(DeviceError) {
        var text = text.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        defer { wipe(&text) }
        if let swipe = IDTechSwipe(typed: text) {
            self.init(tracks: swipe.tracks, encrypted: swipe.encrypted)
            return
        }
        let tracks = Swipe(text: text)
        if tracks.isMasked {
            guard let encrypted = EncryptedTracks(magneSafe: text), !encrypted.isEmpty else {
                throw .rejected(.encryptionFormatNotSupported)
            }
            self.init(encrypted: encrypted)
        } else {
            self.init(tracks: tracks)
        }
    }
}

extension Swipe {
    /// Whether the reader encrypts, and these are masked copies of its tracks.
    var isMasked: Bool { TrackNumber.allCases.contains { self[$0] == .failed(.maskedByReader) } }
}

extension EncryptedTracks {
    /// What a MagneSafe V5 reader types as a keyboard (D99875475, "Card Data", keyboard emulation):
    /// the masked tracks, and behind bars reader encryption status, three encrypted tracks,
    /// MagnePrint status, MagnePrint, serial number, session identifier, key serial number and
    /// more; all but the serial number in hexadecimal digits.
    ///
    /// - Returns: Nil if the text is of another form.
    fileprivate init?(magneSafe text: [UInt8]) {
        guard let end = text.lastIndex(of: UInt8(ascii: "?")) else { return nil }
        let fields = text[end...].split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
            .map { $0.filter { $0 > 0x20 } }
        guard fields.count > 9, hexadecimal(fields[1])?.count == 2,
            let ksn = hexadecimal(fields[9]), ksn.count == 10
        else { return nil }
        let serialNumber = String(decoding: fields[7].prefix(16), as: UTF8.self)
        self.init(
            cipher: .tdes, keyUse: .pinVariant, ksn: ksn, ciphertexts: [:],
            serialNumber: serialNumber.isEmpty ? nil : serialNumber)
        for track in TrackNumber.allCases {
            guard let ciphertext = hexadecimal(fields[1 + track.rawValue]), ciphertext.count.isMultiple(of: 8) else {
                return nil
            }
            if !ciphertext.isEmpty { ciphertexts[track] = ciphertext }
        }
        var found: [TrackNumber] = []
        for piece in text[...end].split(separator: UInt8(ascii: "?")) {
            guard let start = piece.lastIndex(where: { TrackNumber.typedSentinels.contains($0) }) else { continue }
            let track = TrackNumber(typed: piece[start], after: found)
            found.append(track)
            if ciphertexts[track] != nil { masked[track] = MaskedTrack.text(piece[start...], track) }
        }
    }
}

extension IDTechSwipe {
    /// What an ID TECH reader types as a keyboard: its envelope in hexadecimal digits, the masked
    /// tracks in it as they are (80096504, "Security Level 3 Decryption").
    ///
    /// - Returns: Nil if there is no envelope with right check bytes.
    fileprivate init?(typed text: [UInt8]) {
        let text = text.filter { $0 >= 0x20 }
        let sentinel = text.firstIndex { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: ";") } ?? text.endIndex
        for start in text[..<sentinel].indices.dropLast() where text[start...].starts(with: "02".utf8) {
            guard let bytes = Self.bytes(text[start...], sentinel: sentinel),
                let data = try? SwipeEnvelope.unwrap(bytes),
                let swipe = try? IDTechSwipe(parsing: data)
            else { continue }
            self = swipe
            return
        }
        return nil
    }

    /// The bytes that `text` stands for: digits up to the first sentinel, characters up to the end
    /// of the last track and its redundancy check, digits.
    private static func bytes(_ text: ArraySlice<UInt8>, sentinel: Int) -> [UInt8]? {
        guard let header = hexadecimal(Array(text[..<sentinel])) else { return nil }
        guard sentinel < text.endIndex else { return header }
        // Type, track status and the lengths of the tracks follow the length of the data.
        guard header.count >= 8 else { return nil }
        let shown = header[3] & 0x80 != 0 && header.count >= 10 ? header[8] : 0x07
        let count = TrackNumber.allCases.reduce(0) {
            $0 + (shown >> ($1.rawValue - 1) & 1 != 0 ? Int(header[4 + $1.rawValue]) : 0)
        }
        guard text.endIndex - sentinel >= count else { return nil }
        let end = sentinel + count
        guard let rest = hexadecimal(Array(text[end...])) else { return nil }
        return header + text[sentinel..<end] + rest
    }
}

/// The bytes of hexadecimal digits; nil if there is anything else.
private func hexadecimal(_ digits: [UInt8]) -> [UInt8]? { [UInt8](hexDigits: digits.span) }
