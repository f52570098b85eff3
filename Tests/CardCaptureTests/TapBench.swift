import Bytes
import CardCapture
import CardCryptography
import CardReaders
import Contactless
import EMVKernel
import KernelDoubles
import Kernels
import SmartCard
import Synchronization
import TLV
import VirtualCard

private let personalizer = Result { () throws(PersonalizationError) in try CardPersonalizer() }
private let cardKey = Result { () throws(RSAError) in try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3) }

/// A card or phone held to a virtual reader with our kernels above it, and an issuer that knows its
/// keys.
struct TapBench {
    let card: VirtualCard
    let personalized: PersonalizedCard
    var limits = TransactionLimits(transactionLimit: 300_00, floorLimit: 25_00, cvmRequiredLimit: 50_00)
    var request = CaptureRequest(amount: 10_00, currencyCode: 978, sequenceCounter: 1)
    var answer = IssuerAnswer.answered(.init(responseCode: "00"))
    var pinPad: (any PINPad)?
    /// What the reader can do beyond its limits, for Visa.
    var qualifiers: TerminalTransactionQualifiers = []
    /// Whether Visa's kernel has mag-stripe mode.
    var takesVisaTracks = false
    /// What Visa's kernel is wrapped in.
    var wrapsVisa: @Sendable (any KernelConfiguration) -> any KernelConfiguration = { $0 }
    var maximumPresentations = 8
    var clock: @Sendable () -> Timestamp = { Timestamp(secondsSince1970: 1_773_057_600) }
    /// Between the kernel and the card.
    var channel: (any CardChannel)?
    var relayResistance: RelayResistanceLimits?
    /// Whether Mastercard's kernel asks for the balance, before and after the cryptogram.
    var readsBalance = false
    /// What the terminal wants of a Mastercard's data storage.
    var dataStorage: Kernel2Configuration.DataStorage?
    /// The terminal's.
    var languages: [Language] = []
    /// Moved by what lasts.
    let time = VirtualTime()
    /// In place of a reader that holds the card.
    var slot: (any CardSlot)?
    /// What happens while the reader pauses.
    var duringPauses: @Sendable () async -> Void = {}
    /// The kernels' removal timeout, in units of 100 ms.
    var removalTimeout: UInt32 = 0

    private init(_ profile: CardProfile) throws {
        personalized = try personalizer.get().personalize(profile, iccKey: cardKey.get())
        card = VirtualCard(personalized, interface: .contactless)
    }

    static func visa(
        cryptograms: CryptogramScheme = .visa18, cardLanguages: [String] = [],
        _ change: (inout VisaContactlessProfile) -> Void = { _ in }
    ) throws -> TapBench {
        var profile = CardProfile.visaStyle()
        profile.languages = cardLanguages
        var contactless = VisaContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        change(&contactless)
        profile.contactless = .visa(contactless)
        profile.cryptograms = cryptograms
        return try TapBench(profile)
    }

    static func mastercard(
        cardLanguages: [String] = [], _ change: (inout MastercardContactlessProfile) -> Void = { _ in }
    ) throws -> TapBench {
        var profile = CardProfile.mastercardStyle()
        if !cardLanguages.isEmpty { profile.languages = cardLanguages }
        var contactless = MastercardContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        change(&contactless)
        profile.contactless = .mastercard(contactless)
        return try TapBench(profile)
    }

    /// A card of the same profile and key from another authority.
    func stranger() throws -> VirtualCard {
        VirtualCard(
            try CardPersonalizer().personalize(personalized.profile, iccKey: cardKey.get()), interface: .contactless)
    }

    struct Run {
        let outcome: CaptureOutcome
        /// What the issuer was asked with; empty if it was not.
        let asked: [CapturedCard]
        let commands: [String]
    }

    func reader(_ log: @escaping @Sendable (APDUTrace.Exchange) -> Void = { _ in }) -> ContactlessReader {
        // One authority for all brands, so that a mixed-up brand is not refused for the lack of a
        // key.
        let keys = personalized.caPublicKeys.flatMap { key in
            [[0xA0, 0x00, 0x00, 0x00, 0x03], [0xA0, 0x00, 0x00, 0x00, 0x04]].map { rid in
                CAPublicKey(rid: rid, index: key.index, key: key.key, isTest: true)
            }
        }
        var terminal = TerminalConfiguration.attended(
            countryCode: 250, applications: [], caKeys: keys, hasPINPad: pinPad != nil)
        terminal.languages = languages
        var visa = Combination.visa(limits: limits, hasPINPad: pinPad != nil)
        visa.qualifiers?.formUnion(qualifiers)
        visa.kernel = wrapsVisa(Kernel3Configuration(supportsMagstripeMode: takesVisaTracks))
        var mastercard = Combination.mastercard(
            limits: limits, hasPINPad: pinPad != nil, relayResistance: relayResistance)
        if var kernel = mastercard.kernel as? Kernel2Configuration {
            (kernel.readsBalanceBefore, kernel.readsBalanceAfter) = (readsBalance, readsBalance)
            kernel.dataStorage = dataStorage
            mastercard.kernel = kernel
        }
        return ContactlessReader(
            slot: slot ?? VirtualReader(card: channel ?? card, interface: .contactless),
            configuration: EntryPointConfiguration(
                terminal: terminal,
                combinations: [visa, mastercard],
                maximumPresentations: maximumPresentations, removalTimeout: removalTimeout),
            cardholder: FirstChoice(pinPad: pinPad), clock: clock,
            timing: .init(
                uptime: { time.now },
                pause: { duration in
                    time.pause(duration)
                    await duringPauses()
                }), observe: log)
    }

    func run() async throws -> Run {
        let asked = Mutex<[CapturedCard]>([])
        let commands = Mutex<[String]>([])
        let reader = reader { exchange in commands.withLock { $0.append(exchange.command.header.hex) } }
        let outcome = try await reader.capture(request) { card in
            asked.withLock { $0.append(card) }
            return answer
        }
        return Run(outcome: outcome, asked: asked.withLock { $0 }, commands: commands.withLock { $0 })
    }

    struct Pad: PINPad {
        var entry = OnlinePINEntry.entered(format: .iso0, pinBlock: [1, 2, 3, 4, 5, 6, 7, 8], ksn: [9])
        func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry { entry }
        func verifyOfflinePIN(
            _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
        ) async throws(CardChannelError) -> OfflinePINEntry { .failed }
    }
}

/// A clock that stands still but for what is known to last.
final class VirtualTime: Sendable {
    private let elapsed = Mutex(Duration.zero)
    private let pauses = Mutex(Duration.zero)

    var now: Duration { elapsed.withLock { $0 } }
    /// What the reader has waited.
    var paused: Duration { pauses.withLock { $0 } }
    func pause(_ duration: Duration) { pauses.withLock { $0 += duration } }
    func advance(milliseconds: Int) { elapsed.withLock { $0 += .milliseconds(milliseconds) } }
}
