import Bytes
import CardCryptography
public import Contactless
import EMVKernel
import KernelDoubles
import Kernels
import SeededNumbers
import SmartCard
import Synchronization
import TLV
import VirtualCard

/// The taps that are mutated: together they go through every phase of the kernels.
public enum TapKind: String, CaseIterable, Sendable {
    /// Approved offline, with fast DDA.
    case offline = "tap-offline"
    /// Online, signed before the issuer is asked.
    case signedOnline = "tap-signed-online"
    /// A phone that verified its owner.
    case phone = "tap-phone"
    /// The issuer's answer goes to the card at a second tap.
    case issuerUpdate = "tap-issuer-update"
    /// Mastercard, approved offline with CDA.
    case mastercardOffline = "tap-mastercard-offline"
    /// Mastercard, online with CDA over the ARQC.
    case mastercardOnline = "tap-mastercard-online"
    /// Mastercard, mag-stripe mode.
    case mastercardMagstripe = "tap-mastercard-magstripe"
    /// Mastercard, approved offline: a slot and data envelopes are read and written.
    case mastercardStorage = "tap-mastercard-storage"
    /// American Express, approved offline with CDA.
    case amexOffline = "tap-amex-offline"
    /// American Express, a phone that verified its owner, online with CDA over the ARQC.
    case amexPhone = "tap-amex-phone"
    /// UnionPay, approved offline with fast DDA.
    case unionPayOffline = "tap-unionpay-offline"
    /// UnionPay, online.
    case unionPayOnline = "tap-unionpay-online"
    /// Kernel 8, approved offline: enciphered records, a data envelope read and one written.
    case kernel8Offline = "tap-kernel8-offline"
    /// Kernel 8, online.
    case kernel8Online = "tap-kernel8-online"

    /// Whether a seed tells every byte: keys on elliptic curves are new in each bench.
    public var hasFixedKeys: Bool { self != .kernel8Offline && self != .kernel8Online }

    fileprivate var isApprovedOffline: Bool {
        [.offline, .mastercardOffline, .mastercardStorage, .amexOffline, .unionPayOffline, .kernel8Offline].contains(
            self)
    }
    fileprivate var amount: UInt64 { isApprovedOffline ? 10_00 : 60_00 }

    fileprivate var profile: CardProfile {
        switch self {
        case .mastercardOffline, .mastercardOnline, .mastercardMagstripe, .mastercardStorage: mastercard
        case .offline, .signedOnline, .phone, .issuerUpdate: visa
        case .amexOffline, .amexPhone: amex
        case .unionPayOffline, .unionPayOnline: unionPay
        case .kernel8Offline, .kernel8Online: kernel8
        }
    }

    private var amex: CardProfile {
        var contactless = AmericanExpressContactlessProfile()
        if self == .amexOffline { contactless.approvesOfflineUpTo = 25_00 }
        if self == .amexPhone { contactless.device = .verified }
        return .americanExpressStyle(contactless)
    }

    private var unionPay: CardProfile {
        var contactless = VisaContactlessProfile()
        if self == .unionPayOffline { contactless.approvesOfflineUpTo = 25_00 }
        return .unionPayStyle(contactless)
    }

    private var kernel8: CardProfile {
        var contactless = Kernel8ContactlessProfile()
        if self == .kernel8Offline { contactless.approvesOfflineUpTo = 25_00 }
        contactless.envelopes = [1: [0x01, 0x02, 0x03]]
        return .kernel8Style(contactless)
    }

    private var mastercard: CardProfile {
        var profile = CardProfile.mastercardStyle()
        var contactless = MastercardContactlessProfile()
        if self == .mastercardOffline || self == .mastercardStorage { contactless.approvesOfflineUpTo = 25_00 }
        if self == .mastercardStorage { contactless.dataStorage = storage }
        if self == .mastercardMagstripe { contactless.mode = .magstripe }
        contactless.recoversTornTransactions = true
        profile.contactless = .mastercard(contactless)
        return profile
    }

    private var storage: MastercardContactlessProfile.DataStorage {
        var storage = MastercardContactlessProfile.DataStorage()
        storage.scheme = 1
        storage.envelopes = [6: [0x01, 0x02, 0x03]]
        return storage
    }

    private var visa: CardProfile {
        var profile = CardProfile.visaStyle()
        var contactless = VisaContactlessProfile()
        if self == .offline { contactless.approvesOfflineUpTo = 25_00 }
        if self == .issuerUpdate { contactless.qualifiers = .issuerUpdateProcessing }
        if self == .phone {
            contactless.verifications = [.consumerDevice]
            contactless.device = .verified
        }
        profile.contactless = .visa(contactless)
        return profile
    }

    fileprivate var combinations: [Combination] {
        let limits = TransactionLimits(transactionLimit: 250_00, floorLimit: 25_00, cvmRequiredLimit: 50_00)
        var combination = Combination.visa(limits: limits)
        if self == .signedOnline { combination.qualifiers?.insert(.dataAuthenticationForOnline) }
        combination.qualifiers?.insert(.issuerUpdateProcessing)
        var mastercard = Combination.mastercard(limits: limits)
        if self == .mastercardStorage, var kernel = mastercard.kernel as? Kernel2Configuration {
            kernel.dataStorage = Self.storageRequest
            mastercard.kernel = kernel
        }
        return [combination, mastercard, .americanExpress(limits: limits), .unionPay(limits: limits)]
            + (hasFixedKeys ? [] : kernel8Combinations)
    }

    private static let storageRequest = Kernel2Configuration.DataStorage(
        operatorIdentifier: [1, 2, 3, 4, 5, 6, 7, 8], tagsToRead: [0x9F75],
        answer: { known in
            let write = Kernel2Configuration.DataStorage.EnvelopeWrite(0x9F75, known[0x9F75] ?? [])
            return .init(
                slot: .init(
                    info: .volatileSlot, cryptogram: .tc, instructions: [.usableForARQC, .usableForAAC],
                    operatorData: [1, 2, 3]),
                beforeCryptogram: [write].compactMap(\.self), afterCryptogram: [write].compactMap(\.self))
        })

    private var kernel8Combinations: [Combination] {
        var kernel = Kernel8Configuration(floorLimit: 25_00, cvmRequiredLimit: 50_00)
        kernel.envelopesToRead = [1]
        kernel.envelopesToWrite = [Kernel8Configuration.DataEnvelope(number: 10, value: [0x0A])].compactMap(\.self)
        return kernel8.applications.map { Combination(aid: $0.aid, limits: TransactionLimits(), kernel: kernel) }
    }
}

/// Taps of a virtual card under mutation, with Entry Point and its kernels. A seed tells all (but
/// see ``TapKind/hasFixedKeys``).
public struct TapMutationBench: Sendable {
    private struct Tap {
        let kind: TapKind
        let card: PersonalizedCard
        /// The answers of the undisturbed tap.
        var honest: [ResponseAPDU] = []

        /// Those of MutationBench, or as many as a card can get that is presented again each time.
        var additionalCommands: Int {
            max(MutationBench.additionalCommands, honest.count * (TapMutationBench.presentations - 1))
        }
    }

    /// As Entry Point's configuration has it by default.
    private static let presentations = 8

    /// What one seed led to.
    public struct Run: Sendable {
        public let kind: TapKind
        public let outcome: ContactlessOutcome
        /// How many more than in the undisturbed tap, negative for fewer.
        public let additionalCommands: Int
        /// In bytes, at most, over what the process had before.
        public let additionalMemory: Int
        /// What must not be, one line each.
        public let violations: [String]
    }

    private var taps: [Tap] = []
    private let memory: @Sendable () -> Int

    /// - Parameter memory: As for ``MutationBench``.
    public init(memory: @escaping @Sendable () -> Int = { 0 }) async throws {
        self.memory = memory
        let personalizer = try MutationBench.personalizer()
        for kind in TapKind.allCases {
            var tap = Tap(kind: kind, card: try personalizer.personalize(kind.profile, iccKey: MutationBench.cardKey()))
            let card = Self.card(tap, seed: 0)
            let channel = MutatedCard(card, nil, limit: .max, memory: { 0 })
            let outcome = await Self.perform(tap, card, channel)
            guard outcome.status == (kind.isApprovedOffline || kind == .issuerUpdate ? .approved : .onlineRequest)
            else {
                throw MutationError.undisturbedTap(kind)
            }
            tap.honest = await channel.answers
            taps.append(tap)
        }
    }

    /// The kind of tap follows from the seed too.
    public func run(_ seed: UInt64) async -> Run {
        // fits: a remainder of their number
        let tap = taps[Int(seed % UInt64(taps.count))]
        let limit = tap.honest.count + tap.additionalCommands
        let card = Self.card(tap, seed: seed)
        let channel = MutatedCard(card, Mutator(seed: seed, honest: tap.honest), limit: limit, memory: memory)
        let before = memory()
        let outcome = await Self.perform(tap, card, channel)
        let after = memory()
        let used = max(after, await channel.peak) - before
        let additional = await channel.count - tap.honest.count
        var violations = Self.violations(tap, outcome)
        if additional > tap.additionalCommands { violations.append("more commands than \(limit)") }
        if used > MutationBench.additionalMemory { violations.append("\(used) bytes of additional memory") }
        return Run(
            kind: tap.kind, outcome: outcome, additionalCommands: additional, additionalMemory: used,
            violations: violations)
    }

    private static func violations(_ tap: Tap, _ outcome: ContactlessOutcome) -> [String] {
        var violations: [String] = []
        switch outcome.status {
        case .approved where tap.kind == .issuerUpdate: break
        case .approved:
            if !tap.kind.isApprovedOffline { violations.append("approved without issuer") }
            if outcome.data?.card.pan != tap.card.profile.account.pan {
                violations.append("approved for another number")
            }
            if !tap.kind.hasFixedKeys, outcome.data?.terminal[.terminalVerificationResults]?.first != 0x00 {
                violations.append("approved without local authentication")
            }
            if outcome.verification == .consumerDevice { violations.append("approved for a device that there is not") }
        case .onlineRequest:
            let hasTrack =
                tap.kind == .mastercardMagstripe && outcome.data?.card.contains(.track2DataContactless) == true
            if outcome.data?.card[.applicationCryptogram]?.count != 8, !hasTrack {
                violations.append("online without a cryptogram")
            }
        case .tryAgain, .selectNext: violations.append("no final outcome")
        case .declined, .endApplication, .tryAnotherInterface:
            if outcome.wantsReceipt { violations.append("a signature for what is not approved") }
        }
        if let amount = outcome.data?.terminal.number(.amountAuthorised), amount != tap.kind.amount {
            violations.append("another amount")
        }
        return violations
    }

    /// The last outcome: of the second tap where there was one.
    private static func perform(_ tap: Tap, _ card: VirtualCard, _ channel: any CardChannel) async -> ContactlessOutcome
    {
        let terminal = TerminalConfiguration.attended(countryCode: 840, applications: [], caKeys: tap.card.caPublicKeys)
        let request = TransactionRequest(
            amount: tap.kind.amount, currencyCode: 840, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00])
        var entryPoint = EntryPoint(
            EntryPointConfiguration(terminal: terminal, combinations: tap.kind.combinations), request: request,
            environment: FixedEnvironment(number: [0xDE, 0xAD, 0xBE, 0xEF]))
        let first = await perform(&entryPoint, first: entryPoint.start(), card: card, channel: channel)
        let answer = IssuerResponse(
            responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8],
            scripts: [[0x72, 0x07, 0x86, 0x05, 0x84, 0x1E, 0x00, 0x00, 0x00]])
        guard tap.kind == .issuerUpdate, let step = entryPoint.resume(with: answer) else { return first }
        return await perform(&entryPoint, first: step, card: card, channel: channel)
    }

    private static func perform(
        _ entryPoint: inout EntryPoint, first: EntryPoint.Step, card: VirtualCard, channel: any CardChannel
    ) async -> ContactlessOutcome {
        var step = first
        while true {
            switch step.action {
            case .poll:
                await card.reset()
                step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                do throws(CardChannelError) {
                    step = entryPoint.next(.answered(try await channel.transmit(command), after: .zero))
                } catch {
                    step = entryPoint.next(.failed(error))
                }
            case .end(let outcome): return outcome
            }
        }
    }

    private static func card(_ tap: Tap, seed: UInt64) -> VirtualCard {
        let random = Mutex(SplitMix(seed: ~seed))
        return VirtualCard(tap.card, interface: .contactless) { count in random.withLock { $0.bytes(count) } }
    }
}
