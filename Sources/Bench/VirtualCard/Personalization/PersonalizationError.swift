public import CardCryptography
public import TLV

/// Why a profile cannot be personalized.
public enum PersonalizationError: Error, Equatable, Sendable {
    case noApplication
    /// The AID has fewer than 5 or more than 16 bytes.
    case applicationIdentifier
    /// The PAN is not a number of 12 to 19 digits.
    case pan
    /// The value for the tag has an invalid length or invalid characters.
    case fieldLength(Tag)
    /// The list lacks data that the cryptogram or its signature requires.
    case missing(Tag, fromList: Tag)
    case key(RSAError)
    /// A card with elliptic curve keys has more than one application, but its certificates can
    /// contain only one.
    case severalApplications
    /// The cipher of the issuer's master keys differs from that of the cryptogram version.
    case masterKey
    case certificate(IssuingError)
    /// A preferred name has a character that is not in its code table.
    case preferredName(CodeTable)
    case layout(CardFileLayout.Problem)
    /// A contactless application signs with an RSA key, but the card has elliptic curve keys.
    case contactlessKeys
    /// The cryptogram's issuer application data has no room for the IAD-MAC, or the cryptogram does
    /// not cover all of it.
    case issuerApplicationData
    /// CDOL1 of kernel 8 does not begin with the data of cryptograms.
    case cryptogramDataNotFirst
}

extension PersonalizationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noApplication: "the card has no application: give it one"
        case .applicationIdentifier: "an AID has fewer than 5 or more than 16 bytes"
        case .pan: "the PAN must have 12 to 19 digits"
        case .fieldLength(let tag): "\(Self.name(tag)) has an invalid length or invalid characters"
        case .missing(let tag, let list):
            "\(Self.name(list)) does not ask for \(Self.name(tag)) which cryptograms require: add it to the list"
        case .key(let error): "the key cannot be generated: \(error)"
        case .severalApplications:
            "a card with elliptic curve keys has more than one application, and its certificates name one only"
        case .masterKey:
            "the issuer's master keys are of another cipher than the cryptogram's: give keys of that cipher, or none"
        case .certificate(let error): "the certificate cannot be created: \(error)"
        case .preferredName(let table): "a preferred name has a character that is not in ISO/IEC 8859-\(table.rawValue)"
        case .layout(let problem): problem.description
        case .issuerApplicationData:
            "the issuer application data have no room for the IAD-MAC, or are not in the cryptogram: take commonCoreAES"
        case .cryptogramDataNotFirst: "CDOL1 of kernel 8 must begin with what cryptograms are made of"
        case .contactlessKeys: "a card with elliptic curve keys has no contactless side here: leave one of the two out"
        }
    }

    static func name(_ tag: Tag) -> String { "\(TagDictionary[tag]?.name ?? "the data object") (\(tag))" }
}

extension CardFileLayout.Problem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .numberOfFiles(let count): "the layout has \(count) files, and a file locator takes 1 to 63 entries"
        case .fileIdentifier(let sfi):
            "SFI \(sfi) cannot hold records: take one of 1 to 30 that is not the transaction log's"
        case .numberOfRecords(let sfi): "file \(sfi) has no record, or more than 255"
        case .authenticatedRecords(let sfi): "file \(sfi) has fewer records than the number to sign"
        case .unknown(let tag): "the card has no \(PersonalizationError.name(tag)) to put into a record"
        case .signed(let tag):
            "\(PersonalizationError.name(tag)) is in a signed record, but no signature can cover it: put it into a later, unsigned record"
        case .recordLength(let sfi, let number):
            "record \(number) of file \(sfi) is longer than 256 bytes: spread it over two"
        }
    }
}
