import CardCryptography
public import EMVKernel
import TLV
import VirtualCard

/// The conversations that are mutated: together they go through every phase of a transaction and
/// every kind of card key.
public enum ConversationKind: String, CaseIterable, Sendable {
    /// Approved offline.
    case sda
    /// No issuer can be reached.
    case dda
    /// Online, both cryptograms signed, limits on the card.
    case cda
    /// Elliptic curve keys, online, the PIN enciphered by ECC.
    case xda
    /// The PIN enciphered by RSA, answers in format 1.
    case encipheredPIN = "enciphered-pin"
    /// Scripts before and after the second cryptogram.
    case issuerScript = "issuer-script"
    /// Three applications in a directory, the cardholder chooses.
    case paymentSystemEnvironment = "pse"
    /// Three applications under one partial name, found by SELECT next.
    case listOfAIDs = "aid-list"
}

extension ConversationKind {
    var profile: CardProfile {
        var profile = self == .xda ? CardProfile.ellipticCurveStyle() : .visaStyle()
        profile.interchangeProfile.subtract(leftOut)
        profile.hasPaymentSystemEnvironment = self == .paymentSystemEnvironment
        switch self {
        case .sda, .dda, .xda: break
        case .cda:
            profile.consecutiveOfflineLimits = 1...2
            profile.pdol = DOL(entries: [DOL.Entry(.terminalCountryCode, 2), DOL.Entry(.unpredictableNumber, 4)])
        case .encipheredPIN: profile.responseFormat = .format1
        case .issuerScript: break
        case .paymentSystemEnvironment, .listOfAIDs:
            let aid = profile.applications[0].aid
            profile.applications = (1...3).map { CardApplication(aid: aid + [$0], label: "NUMBER \($0)", priority: $0) }
        }
        return profile
    }

    /// What the card of this kind does not support.
    private var leftOut: ApplicationInterchangeProfile {
        switch self {
        case .sda, .paymentSystemEnvironment: [.ddaSupported, .cdaSupported, .cardholderVerificationSupported]
        case .dda, .listOfAIDs: [.cdaSupported, .cardholderVerificationSupported]
        case .cda: [.cardholderVerificationSupported]
        case .encipheredPIN: [.cdaSupported]
        case .xda, .issuerScript: []
        }
    }

    func configuration(_ card: PersonalizedCard) -> TerminalConfiguration {
        TerminalConfiguration(
            capabilities: [
                .contactChip, .encipheredOfflinePINByRSA, .encipheredOfflinePINByECC, .signature, .noCVM, .sda, .dda,
                .cda, .xda,
            ],
            additionalCapabilities: [.goods, .services], countryCode: 840,
            applications: [
                ApplicationConfiguration(
                    aid: Array(card.profile.applications[0].aid.prefix(7)), versions: [card.profile.versionNumber],
                    floorLimit: 500_00)
            ],
            caKeys: card.caPublicKeys, usesPaymentSystemEnvironment: self == .paymentSystemEnvironment)
    }

    var request: TransactionRequest {
        TransactionRequest(
            amount: 10_00, currencyCode: 840, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00],
            forcesOnline: ![.sda, .encipheredPIN, .paymentSystemEnvironment].contains(self))
    }

    /// How the undisturbed conversation ends.
    public var undisturbed: Outcome.Decision {
        switch self {
        case .sda, .encipheredPIN, .paymentSystemEnvironment: .approved(.offline)
        // The card's default action code declines what ought to have gone online.
        case .dda, .listOfAIDs: .declined(.unableToGoOnline)
        case .cda, .xda, .issuerScript: .approved(.online)
        }
    }
}
