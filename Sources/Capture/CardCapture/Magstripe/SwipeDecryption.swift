public import Bytes
public import CardCryptography
import MagneticStripe
import TLV

/// Decrypts what a reader encrypted, with keys from the caller. The library contains no keys.
///
/// The length of the key serial number identifies the scheme: ten bytes are TDES DUKPT (ANSI
/// X9.24-1:2009), twelve are AES DUKPT (ANSI X9.24-3:2017). Readers that encrypt with AES under a
/// serial number of ten bytes use the 16 bytes that TDES DUKPT derives as an AES key.
public struct SwipeDecryption: Sendable {
    /// A DUKPT key: the acquirer's base key, or the key derived from it for one reader.
    public enum Key: Sendable {
        /// Base derivation key of TDES DUKPT, 16 bytes.
        case tdesBase(TDESKey)
        /// The initial key of one reader under TDES DUKPT, 16 bytes.
        case tdesInitial(TDESKey)
        /// Base derivation key of AES DUKPT.
        case aesBase(AESKey)
        /// The initial key of one reader under AES DUKPT.
        case aesInitial(AESKey)
    }

    private let keys: [Key]

    /// - Parameter keys: tried in order. The first key that fits the serial number and decrypts the
    ///   ciphertext to tracks is used.
    public init(_ keys: [Key]) { self.keys = keys }

    /// Why no cardholder's card may be read with the keys, as text; nil if cardholders' cards may
    /// be read.
    package var testOnlyReason: String? {
        let areForTests = keys.contains { key in
            switch key {
            case .tdesBase(let key), .tdesInitial(let key): PublishedTestKeys.contains(key.bytes)
            case .aesBase(let key), .aesInitial(let key): PublishedTestKeys.contains(key.bytes)
            }
        }
        return areForTests ? "a key for its swipes is a published example key" : nil
    }

    /// The swipe with its encrypted tracks decrypted, and without encrypted data.
    public func open(_ swipe: CapturedSwipe) throws(SwipeDecryptionError) -> CapturedSwipe {
        guard let encrypted = swipe.encrypted, encrypted.template == nil else { return swipe }
        let readings = try withKey(for: encrypted) { key throws(SwipeDecryptionError) in
            try encrypted.readings(under: key)
        }
        var opened = CapturedSwipe(tracks: swipe.tracks)
        for (track, reading) in readings { opened.tracks[track] = reading }
        return opened
    }

    /// The data objects of ``EncryptedTracks/template``: one template, BER-TLV, without padding;
    /// nil without a template.
    public func template(of tracks: EncryptedTracks) throws(SwipeDecryptionError) -> SecretBytes? {
        guard let template = tracks.template else { return nil }
        return try withKey(for: tracks) { key throws(SwipeDecryptionError) in
            var clear = try tracks.open(template, under: key)
            defer { wipe(&clear) }
            // With a wrong key, the plaintext is not a template followed by less than a block of
            // zeros.
            var walker = TLVWalker()
            let first = try? walker.next(in: clear.span)
            guard let first, first.tag.isConstructed, first.value.upperBound > clear.count - 16,
                clear[first.value.upperBound...].allSatisfy({ $0 == 0 })
            else { throw .wrongKey }
            return SecretBytes(clear[..<first.value.upperBound])
        }
    }

    /// The result of `open` with the first key that fits.
    private func withKey<Opened>(
        for tracks: EncryptedTracks, _ open: (SecretBytes) throws(SwipeDecryptionError) -> Opened
    ) throws(SwipeDecryptionError) -> Opened {
        var error = SwipeDecryptionError.noKey
        for key in keys {
            do throws(SwipeDecryptionError) {
                guard let working = try key.workingKey(for: tracks) else { continue }
                return try open(working)
            } catch let failure {
                error = failure
            }
        }
        throw error
    }
}

/// Why a swipe could not be decrypted.
public enum SwipeDecryptionError: Error, Equatable, Sendable {
    /// No key belongs to the scheme of the key serial number.
    case noKey
    /// No key decrypts the ciphertext to a track.
    case wrongKey
    /// The key does not fit the cipher, or the ciphertext is not whole blocks.
    case cipher(CipherError)
}

extension SwipeDecryptionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noKey: "no key for the reader's encryption scheme: give its base or initial key"
        case .wrongKey: "the keys do not match the reader: check which key is loaded in it"
        case .cipher(let error): "the swipe cannot be decrypted: \(error)"
        }
    }
}

private typealias WorkingKey = SecretBytes

extension SwipeDecryption.Key {
    /// Nil if the key is of another scheme than the tracks.
    fileprivate func workingKey(for tracks: EncryptedTracks) throws(SwipeDecryptionError) -> WorkingKey? {
        do throws(CipherError) {
            switch self {
            case .tdesBase(let key):
                guard let serial = KeySerialNumber(tracks.ksn) else { return nil }
                return try Self.tdes(TDESDUKPT.initialKey(baseDerivationKey: key, serialNumber: serial), serial, tracks)
            case .tdesInitial(let key):
                guard let serial = KeySerialNumber(tracks.ksn) else { return nil }
                return try Self.tdes(key, serial, tracks)
            case .aesBase(let key):
                guard let serial = AESKeySerialNumber(tracks.ksn) else { return nil }
                return try Self.aes(AESDUKPT.initialKey(baseDerivationKey: key, serialNumber: serial), serial, tracks)
            case .aesInitial(let key):
                guard let serial = AESKeySerialNumber(tracks.ksn) else { return nil }
                return try Self.aes(key, serial, tracks)
            }
        } catch {
            throw .cipher(error)
        }
    }

    private static func tdes(_ initial: TDESKey, _ serial: KeySerialNumber, _ tracks: EncryptedTracks)
        throws(CipherError) -> WorkingKey
    {
        let transactionKey = try TDESDUKPT.transactionKey(initialKey: initial, serialNumber: serial)
        return try TDESDUKPT.key(
            for: tracks.keyUse == .pinVariant ? .pinEncryption : .dataRequest, transactionKey: transactionKey
        ).bytes
    }

    /// A key for AES is as long as the one it is derived from.
    private static func aes(_ initial: AESKey, _ serial: AESKeySerialNumber, _ tracks: EncryptedTracks)
        throws(CipherError) -> WorkingKey
    {
        let type: AESDUKPT.KeyType =
            switch (tracks.cipher, initial.bytes.count) {
            case (.tdes, _): .twoKeyTDEA
            case (.aes, 16): .aes128
            case (.aes, 24): .aes192
            case (.aes, _): .aes256
            }
        let usage: AESDUKPT.Usage = tracks.keyUse == .pinVariant ? .pinEncryption : .dataEncryption
        return try AESDUKPT.workingKey(usage, type: type, initialKey: initial, serialNumber: serial)
    }
}

extension EncryptedTracks {
    fileprivate func readings(under key: WorkingKey) throws(SwipeDecryptionError) -> [TrackNumber: TrackReading] {
        var readings: [TrackNumber: TrackReading] = [:]
        var wasDeciphered = false
        for (track, ciphertext) in ciphertexts where !ciphertext.isEmpty {
            var clear = try open(ciphertext, under: key)
            defer { wipe(&clear) }
            wasDeciphered = true
            readings[track] = try Self.reading(clear.prefix(lengths[track] ?? clear.count), track)
        }
        if let joined, !joined.ciphertext.isEmpty {
            var clear = try open(joined.ciphertext, under: key)
            defer { wipe(&clear) }
            wasDeciphered = true
            var rest = clear[...]
            for track in joined.tracks {
                let length = max(0, lengths[track] ?? rest.count)
                readings[track] = try Self.reading(rest.prefix(length), track)
                rest = rest.dropFirst(length)
            }
        }
        guard !wasDeciphered || readings.values.contains(where: { Self.proves($0) }) else { throw .wrongKey }
        return readings
    }

    /// A wrong key may produce a blank track or one with a misplaced character, but not a readable
    /// track.
    private static func proves(_ reading: TrackReading) -> Bool {
        switch reading {
        case .read, .failed(.saidByReader): true
        case .blank, .failed: false
        }
    }

    /// A wrong key produces bytes that do not begin like a track.
    private static func reading(_ text: ArraySlice<UInt8>, _ track: TrackNumber) throws(SwipeDecryptionError)
        -> TrackReading
    {
        let reading = TrackReading(text: text, on: track)
        switch reading {
        case .failed(.noStartSentinel), .failed(.unreadable), .failed(.noEndSentinel): throw .wrongKey
        case .blank, .read, .failed: return reading
        }
    }

    fileprivate func open(_ ciphertext: [UInt8], under key: WorkingKey) throws(SwipeDecryptionError) -> [UInt8] {
        do throws(CipherError) {
            switch cipher {
            case .tdes: return try TDESKey(key).decryptCBC(ciphertext, iv: [UInt8](repeating: 0, count: 8))
            case .aes: return try AESKey(key).decryptCBC(ciphertext, iv: [UInt8](repeating: 0, count: 16))
            }
        } catch {
            throw .cipher(error)
        }
    }
}
