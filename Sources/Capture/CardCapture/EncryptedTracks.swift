public import MagneticStripe

/// Tracks that the reader encrypted under a DUKPT key. Only a holder of the base key can decrypt
/// them.
public struct EncryptedTracks: Sendable, Equatable, Codable {
    /// The cipher that the reader encrypts with.
    public enum Cipher: String, Sendable, Codable {
        /// Triple DES in CBC with a zero initialisation vector.
        case tdes
        /// AES in CBC with a zero initialisation vector.
        case aes
    }

    /// Which of the keys that DUKPT derives for a transaction (ANSI X9.24-1:2009, annex A.2).
    public enum KeyUse: String, Sendable, Codable {
        /// The key for PIN blocks, which some readers also use for tracks.
        case pinVariant
        /// The key for data in a request to the host.
        case dataVariant
    }

    /// Tracks that were concatenated and encrypted together; ``EncryptedTracks/lengths`` separate
    /// them again.
    public struct Joined: Sendable, Equatable, Codable {
        /// The order of the tracks in the plaintext.
        public var tracks: [TrackNumber]
        /// Whole blocks.
        public var ciphertext: [UInt8]

        /// The ciphertext of `tracks`, in their order.
        public init(tracks: [TrackNumber], ciphertext: [UInt8]) {
            self.tracks = tracks
            self.ciphertext = ciphertext
        }
    }

    /// The cipher of every ciphertext below.
    public var cipher: Cipher
    /// The use of the key that encrypts every ciphertext below.
    public var keyUse: KeyUse
    /// Key serial number: 10 bytes under TDES, 10 or 12 under AES.
    public var ksn: [UInt8]
    /// Ciphertext of each track that is encrypted separately, in whole blocks.
    public var ciphertexts: [TrackNumber: [UInt8]]
    /// Nil if each track is encrypted separately, in ``ciphertexts``.
    public var joined: Joined?
    /// All of the card's data objects as one ciphertext, BER-TLV before encryption, from readers
    /// with a kernel of their own. Whole blocks.
    public var template: [UInt8]?
    /// The length of each track in characters of the plaintext, if the reader reports it.
    public var lengths: [TrackNumber: Int]
    /// Each track as the reader shows it: sentinels and separators as they are, each hidden
    /// character a `*`.
    public var masked: [TrackNumber: String]
    /// The serial number of the reader, if it reports one.
    public var serialNumber: String?

    /// Tracks as the reader sent them; lengths of
    /// ciphertexts and key serial number are not checked.
    public init(
        cipher: Cipher, keyUse: KeyUse, ksn: [UInt8], ciphertexts: [TrackNumber: [UInt8]], joined: Joined? = nil,
        template: [UInt8]? = nil,
        lengths: [TrackNumber: Int] = [:], masked: [TrackNumber: String] = [:], serialNumber: String? = nil
    ) {
        self.cipher = cipher
        self.keyUse = keyUse
        self.ksn = ksn
        self.ciphertexts = ciphertexts
        self.joined = joined
        self.template = template
        self.lengths = lengths
        self.masked = masked
        self.serialNumber = serialNumber
    }

    /// Whether there is no ciphertext at all.
    public var isEmpty: Bool {
        ciphertexts.allSatisfy { $0.value.isEmpty } && joined?.ciphertext.isEmpty ?? true && template?.isEmpty ?? true
    }
}

extension EncryptedTracks: CustomStringConvertible, CustomReflectable {
    public var description: String { "tracks encrypted with \(cipher.rawValue.uppercased())" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
