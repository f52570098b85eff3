public import CardCryptography
public import TLV

/// Why no card can be made of a profile.
public enum PersonalisationError: Error, Equatable, Sendable {
    case noApplication
    /// The AID has fewer than 5 or more than 16 bytes.
    case applicationIdentifier
    /// The PAN is no number of 12 to 19 digits.
    case pan
    /// The value for the tag has a length that EMV does not give it.
    case fieldLength(Tag)
    /// The list does not ask for what the cryptogram, or its signature, is made of.
    case missing(Tag, fromList: Tag)
    case key(RSAError)
    /// A card with elliptic curve keys has more than one application, which its certificates could not name.
    case severalApplications
    /// The issuer's master keys are of another cipher than the cryptogram version's.
    case masterKey
    case certificate(IssuingError)
}
