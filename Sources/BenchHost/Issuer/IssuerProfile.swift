public import CardCryptography

/// The test cards of one issuer: the range of their numbers, the keys that their keys derive from, and how their cryptograms are made.
public struct IssuerProfile: Sendable {
    /// The digits that the card numbers begin with.
    public let leadingDigits: String
    /// Of the cipher of the cards' cryptogram version.
    public let masterKeys: MasterKeySet
    /// Key derivation, authenticated data, response cryptogram and scripts; nil for what each card names itself in its issuer application data.
    public let cryptogram: CryptogramVersion?
    /// The PIN of all these cards, for online verification; nil if they have no PIN.
    public let pin: PIN?

    public init(leadingDigits: String, masterKeys: MasterKeySet, cryptogram: CryptogramVersion? = nil, pin: PIN? = nil) {
        self.leadingDigits = leadingDigits
        self.masterKeys = masterKeys
        self.cryptogram = cryptogram
        self.pin = pin
    }
}
