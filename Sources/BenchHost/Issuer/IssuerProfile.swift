public import CardCryptography
public import VirtualCard

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

    /// Where the tracks of these cards have the digits of mag-stripe mode; nil for cards that have no such mode.
    public var checksumPositions: ChecksumPositions?

    public init(leadingDigits: String, masterKeys: MasterKeySet, cryptogram: CryptogramVersion? = nil, pin: PIN? = nil) {
        self.leadingDigits = leadingDigits
        self.masterKeys = masterKeys
        self.cryptogram = cryptogram
        self.pin = pin
    }
}
