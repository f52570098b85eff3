public import TLV

/// The contactless behaviour of a Visa card or phone: qVSDC, with the cryptogram in the answer to
/// GET PROCESSING OPTIONS (EMV Contactless Book C-3), or mag-stripe mode. UnionPay's QuickPass has
/// the commands and data objects of qVSDC, without form factor and program.
public struct VisaContactlessProfile: Sendable, Equatable {
    /// What a locked device takes for a transit gate, which it pays without its owner: express
    /// transit (Radu, Chothia, Newton, Boureanu, Chen: "Practical EMV Relay Protection", 2022).
    ///
    /// The bytes with which a gate polls are not here: who can relay a tap can send them, too.
    public enum Transit: String, Sendable, CaseIterable {
        /// A reader whose TTQ has EMV mode and data authentication for online transactions. The
        /// device signs for it, and its CTQ says that no owner was verified.
        case authenticatingReader
        /// Any reader that wants no amount: the fare is settled later.
        case zeroAmount
    }

    /// A verification method of the card.
    public enum Verification: String, Sendable, CaseIterable { case consumerDevice, onlinePIN, signature }

    public enum Mode: String, Sendable, CaseIterable {
        /// qVSDC.
        case emv
        /// MSD, which Visa has given up: a track with a code for each transaction, and no
        /// cryptogram.
        case magstripe
    }

    public var mode = Mode.emv
    /// Tag `9F38`. It lists the data of cryptogram and signature.
    public var pdol = DOL.visaContactless
    /// Tag `82`. With DDA, the card signs if it approves offline, or if TTQ requests it for online
    /// transactions.
    public var interchangeProfile: ApplicationInterchangeProfile = [.ddaSupported]
    /// Tag `9F6C` without the bits for the verification method.
    public var qualifiers: CardTransactionQualifiers = []
    /// If the reader requires one, the first that it supports is used.
    public var verifications: [Verification] = [.onlinePIN, .signature]
    /// Approves offline up to this amount, in minor units of the transaction currency; nil for a
    /// card that always goes online.
    public var approvesOfflineUpTo: UInt64?
    /// Tag `9F6E`, 4 bytes; nil leaves it out.
    public var formFactorIndicator: [UInt8]?
    /// Tag `9F5A`, 1 to 16 bytes; nil leaves it out.
    public var programIdentifier: [UInt8]?
    /// Nil for a card. A locked device answers SW `6986` until it is presented again.
    public var device: ContactlessProfile.Device?
    /// What a locked device takes for a transit gate; nil for one that always wants its owner.
    public var transit: Transit?

    public init() {}
}

extension DOL {
    /// The list of Visa's contactless cards: TTQ, then the data of a cryptogram.
    public static let visaContactless = DOL(
        entries: [Entry(.terminalTransactionQualifiers, 4)] + DOL.cryptogramInput.entries)
}

extension CardProfile {
    /// The profile with the contactless application's interchange profile and records in place of
    /// the contact application's.
    func applying(_ contactless: VisaContactlessProfile) -> CardProfile {
        var profile = self
        profile.interchangeProfile = contactless.interchangeProfile
        profile.pdol = contactless.pdol
        profile.fileLayout = CardFileLayout([
            .init(
                sfi: 2,
                [
                    [.caPublicKeyIndexCard, .issuerPublicKeyExponent, .issuerPublicKeyRemainder],
                    [.issuerPublicKeyCertificate],
                    [.iccPublicKeyExponent, .iccPublicKeyRemainder], [.iccPublicKeyCertificate],
                ]),
            .init(
                sfi: 3,
                [
                    [
                        .applicationPAN, .applicationExpirationDate, .issuerCountryCode, .applicationUsageControl,
                        .staticDataAuthenticationTagList,
                    ]
                ], authenticated: 1),
        ])
        return profile
    }
}
