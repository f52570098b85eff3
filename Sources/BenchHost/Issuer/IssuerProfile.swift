public import CardCryptography

/// The test cards of one issuer: the range of their numbers, the key that their keys derive from, and how their cryptograms are made.
public struct IssuerProfile: Sendable {
    /// The digits that the card numbers begin with.
    public let leadingDigits: String
    /// Issuer master key for application cryptograms, 16 bytes.
    public let masterKey: TDESKey
    /// Key derivation, authenticated data and response cryptogram.
    public let cryptogram: CryptogramVersion
    /// The PIN of all these cards, for online verification; nil if they have none.
    public let pin: PIN?

    public init(leadingDigits: String, masterKey: TDESKey, cryptogram: CryptogramVersion = .visa18, pin: PIN? = nil) {
        self.leadingDigits = leadingDigits
        self.masterKey = masterKey
        self.cryptogram = cryptogram
        self.pin = pin
    }
}
