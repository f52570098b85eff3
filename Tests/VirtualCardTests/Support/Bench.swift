import Bytes
import CardCryptography
import EMVKernel
import KernelDoubles
import SmartCard
import TLV
import VirtualCard

/// One personalization bench for all tests: its keys take longer than everything else.
let personalizer = Result { () throws(PersonalizationError) in try CardPersonalizer() }

func personalize(_ profile: CardProfile) throws -> PersonalizedCard { try personalizer.get().personalize(profile) }

extension PersonalizedCard {
    /// The card's own key is the slow part of a card; tests that do not care share one.
    static func shared(_ change: (inout CardProfile) -> Void = { _ in }) throws -> PersonalizedCard {
        var profile = CardProfile.visaStyle()
        change(&profile)
        return try personalizer.get().personalize(profile, iccKey: sharedKey.get())
    }

    private static let sharedKey = Result { () throws(RSAError) in
        try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3)
    }
}

/// A terminal that takes the card of the bench, and an issuer that knows it.
struct Bench {
    var configuration: TerminalConfiguration
    var request = TransactionRequest(
        amount: 10_00, currencyCode: 840, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00])
    var cardholder = CardholderWithPIN()

    init(_ card: PersonalizedCard) {
        configuration = TerminalConfiguration(
            capabilities: [
                .contactChip, .plaintextOfflinePIN, .encipheredOnlinePIN, .signature, .noCVM, .sda, .dda, .cda,
            ],
            additionalCapabilities: [.goods, .services], countryCode: 840,
            applications: card.profile.applications.map {
                ApplicationConfiguration(aid: $0.aid, versions: [card.profile.versionNumber], floorLimit: 500_00)
            }, caKeys: card.caPublicKeys)
        configuration.allowsPlaintextOfflinePIN = true
    }

    func run(_ channel: any CardChannel, issuer: any OnlineAuthorizer = FixedIssuer.unreachable) async -> (
        outcome: Outcome, events: [KernelEvent]
    ) {
        var events: [KernelEvent] = []
        let outcome = await ContactKernel(configuration).perform(
            request, card: channel, cardholder: cardholder, issuer: issuer, environment: FixedEnvironment()
        ) { events.append($0) }
        return (outcome, events)
    }
}

struct CardholderWithPIN: Cardholder {
    var pinPad: (any PINPad)? = TestPINPad(["1234"])
    /// The application with this label is taken.
    var choice: String?

    func chooseApplication(_ candidates: [Candidate]) async -> Int? {
        candidates.firstIndex { $0.label == choice.map { Array($0.utf8) } }
    }
}

/// Enters one PIN after the other, in the form that the kernel asks for.
actor TestPINPad: PINPad {
    private var pins: [String]
    init(_ pins: [String]) { self.pins = pins }

    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry { .bypassed }

    func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        guard !pins.isEmpty, let pin = PIN(ascii: pins.removeFirst().utf8) else { return .bypassed }
        switch form {
        case .plaintext:
            guard let block = try? PINBlock.format2.encode(pin) else { return .failed }
            return .answered(try await card.transmit(.verify(qualifier: 0x80, block.revealed())).status)
        case .enciphered(let key):
            let challenge = try await card.transmit(.getChallenge).data
            guard let data = try? OfflinePINEncipherment.encipher(pin, unpredictableNumber: challenge, key: key) else {
                return .failed
            }
            return .answered(try await card.transmit(.verify(qualifier: 0x88, data)).status)
        case .encipheredByECC(let encipherment):
            let challenge = try await card.transmit(.getChallenge).data
            guard let data = try? encipherment.encipher(pin, unpredictableNumber: challenge) else { return .failed }
            return .answered(try await card.transmit(.verify(qualifier: 0x8A, data)).status)
        }
    }
}
