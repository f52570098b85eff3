public import MagneticStripe

/// One swipe as a reader hands it on: tracks in the clear, or enciphered with what is to be known of the keys, or both where some tracks are protected
/// and others are not.
public struct CapturedSwipe: Sendable {
    /// The tracks that came in the clear; those that did not are blank.
    public var tracks: Swipe
    public var encrypted: EncryptedTracks?

    public init(tracks: Swipe = Swipe(), encrypted: EncryptedTracks? = nil) {
        self.tracks = tracks
        self.encrypted = encrypted
    }

    /// Whether there is anything that a payment could be made with.
    public var isReadable: Bool { tracks.isReadable || encrypted?.ciphertexts.isEmpty == false }
}

/// Tracks that left the reader enciphered under a DUKPT key, as they are: whoever has the base key can open them, nobody else.
public struct EncryptedTracks: Sendable, Equatable {
    public enum Cipher: String, Sendable {
        /// Triple DES in CBC with a zero initialisation vector.
        case tdes
        /// AES in CBC with a zero initialisation vector.
        case aes
    }

    /// Which of the keys that DUKPT derives for a transaction (ANSI X9.24-1:2009, annex A.2).
    public enum KeyUse: String, Sendable {
        case pinVariant
        case dataVariant
    }

    public var cipher: Cipher
    public var keyUse: KeyUse
    /// Key serial number: 10 bytes under TDES, 10 or 12 under AES.
    public var ksn: [UInt8]
    /// Ciphertext of each track, whole blocks.
    public var ciphertexts: [TrackNumber: [UInt8]]
    /// How many characters of the plaintext are the track, where the reader tells.
    public var lengths: [TrackNumber: Int]
    /// Each track as the reader shows it: the account number masked but for its ends, sentinels and separators as they are.
    public var masked: [TrackNumber: String]
    /// The reader's own serial number, if it tells.
    public var serialNumber: String?

    public init(
        cipher: Cipher, keyUse: KeyUse, ksn: [UInt8], ciphertexts: [TrackNumber: [UInt8]], lengths: [TrackNumber: Int] = [:],
        masked: [TrackNumber: String] = [:], serialNumber: String? = nil
    ) {
        self.cipher = cipher
        self.keyUse = keyUse
        self.ksn = ksn
        self.ciphertexts = ciphertexts
        self.lengths = lengths
        self.masked = masked
        self.serialNumber = serialNumber
    }
}
