internal import BenchHost
internal import CardCapture
internal import CardCryptography
internal import Contactless
internal import EMVKernel
internal import KernelDoubles
internal import Kernels
internal import SmartCard
internal import TLV
internal import VirtualCard

/// The shipped readers and kernels over a slot with a virtual card, which computes its signatures
/// and cryptograms.
enum KernelReader {
    static func make(_ world: World, life: Int, number: Int) throws -> any CardReader {
        let clock = { @Sendable in
            Timestamp(secondsSince1970: World.start + world.now / 1_000_000_000 + world.clockOffset)
        }
        let bench = try TestCards.shared.get()
        let timing = ContactlessReader.Timing(
            uptime: { .nanoseconds(world.now) },
            pause: { await world.waitForCard(Int64($0 / .nanoseconds(1)), life: life, isDeaf: false) })
        guard world.isFaulty, world.chance(.corners, "field", world.swarm.rate(.contactless)) else {
            let slot = SimulatedSlot(world, life: life, name: "Simulated slot \(number)", interface: .contact)
            return ChipReader(
                slot: slot, kernel: contactKernel(bench), cardholder: FirstChoice(), clock: clock, timing: timing)
        }
        let slot = SimulatedSlot(world, life: life, name: "Simulated field \(number)", interface: .contactless)
        return ContactlessReader(
            slot: slot, configuration: taps(bench), cardholder: FirstChoice(), clock: clock, timing: timing)
    }

    private static func contactKernel(_ bench: TestCards) -> ContactKernel {
        ContactKernel(
            TerminalConfiguration(
                capabilities: [.contactChip, .sda, .dda, .cda, .noCVM, .signature],
                additionalCapabilities: [.goods, .codeTable1],
                countryCode: 276,
                applications: [
                    ApplicationConfiguration(
                        aid: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], versions: [0x0096],
                        actionCodes: ActionCodes(denial: [], online: [], default: []))
                ], caKeys: bench.caKeys))
    }

    /// Entry Point with a kernel for each system: below 25.00 the cards may approve alone, above
    /// 50.00 the cardholder signs.
    private static func taps(_ bench: TestCards) -> EntryPointConfiguration {
        let limits = TransactionLimits(transactionLimit: 300_00, floorLimit: 25_00, cvmRequiredLimit: 50_00)
        return EntryPointConfiguration(
            terminal: .attended(countryCode: 276, applications: [], caKeys: bench.caKeys, hasPINPad: false),
            combinations: [
                .visa(limits: limits), .mastercard(limits: limits), .americanExpress(limits: limits),
                .unionPay(limits: limits),
                .kernel8(aid: CardSystem.kernel8.profile.applications[0].aid, limits: limits),
            ], maximumPresentations: 4)
    }
}

/// The systems whose cards are tapped: each has a kernel. They approve up to 25.00 alone.
enum CardSystem: CaseIterable {
    case visa, mastercard, americanExpress, unionPay, kernel8

    var profile: CardProfile {
        var profile: CardProfile
        switch self {
        case .visa, .unionPay:
            var contactless = VisaContactlessProfile()
            contactless.approvesOfflineUpTo = 25_00
            profile = self == .visa ? .visaStyle() : .unionPayStyle(contactless)
            if self == .visa { profile.contactless = .visa(contactless) }
        case .mastercard:
            var contactless = MastercardContactlessProfile()
            contactless.approvesOfflineUpTo = 25_00
            profile = .mastercardStyle()
            profile.contactless = .mastercard(contactless)
        case .americanExpress:
            var contactless = AmericanExpressContactlessProfile()
            contactless.approvesOfflineUpTo = 25_00
            profile = .americanExpressStyle(contactless)
        case .kernel8:
            var contactless = Kernel8ContactlessProfile()
            contactless.approvesOfflineUpTo = 25_00
            profile = .kernel8Style(contactless)
        }
        profile.keySizes = TestCards.sizes
        return profile
    }
}

/// Cards of a bench whose test keys are made when the process starts: before the first seed, so
/// that no run differs by it.
struct TestCards {
    private let personalizer: CardPersonalizer
    private let iccKey: RSAPrivateKey
    let caKeys: [CAPublicKey]

    /// Short, so that they are made fast; the issuer's length leaves room for the card's.
    static let sizes = RSAKeySizes(certificationAuthority: 1024, issuer: 896, icc: 768)

    static let shared = Result { try TestCards() }

    /// The issuer of these cards, and of the numbers that are keyed.
    static func issuer() throws -> TestIssuer { try BenchIssuer.make(CardSystem.allCases.map(\.profile)) }

    private init() throws {
        let personalizer = try CardPersonalizer(Self.sizes)
        let iccKey = try RSAPrivateKey.generate(modulusBits: Self.sizes.icc, exponent: Self.sizes.exponent)
        caKeys = try CardSystem.allCases.flatMap {
            try personalizer.personalize($0.profile, iccKey: iccKey).caPublicKeys
        }
        self.personalizer = personalizer
        self.iccKey = iccKey
    }

    /// - Parameters:
    ///   - counter: Of its transactions so far, tag `9F36`.
    ///   - staysOffline: It asks for no online authorisation on its own.
    func card(counter: UInt16, staysOffline: Bool) throws -> VirtualCard {
        var profile = CardSystem.visa.profile
        profile.initialATC = counter
        if staysOffline { profile.actionCodes = IssuerActionCodes(online: [], default: []) }
        return VirtualCard(try personalizer.personalize(profile, iccKey: iccKey))
    }

    /// - Parameter counter: Of its transactions so far, tag `9F36`.
    func contactlessCard(counter: UInt16, of system: CardSystem) throws -> VirtualCard {
        var profile = system.profile
        profile.initialATC = counter
        return VirtualCard(try personalizer.personalize(profile, iccKey: iccKey), interface: .contactless)
    }
}

/// A slot, or a field, that waits for its card, and keeps its promises or does not.
private final class SimulatedSlot: CardSlot, @unchecked Sendable {
    let name: String
    let capabilities: ReaderCapabilities
    let events = ReaderEvents()
    private let world: World
    private let life: Int
    private let interface: CardInterface
    private var isBusy = false
    /// Of a field: the one that was there last, and may come back.
    private var lastCard: VirtualCard?

    init(_ world: World, life: Int, name: String, interface: CardInterface) {
        self.world = world
        self.life = life
        self.name = name
        self.interface = interface
        capabilities = interface == .contact ? .contactChip : .contactlessChip
    }

    private static let second: Int64 = 1_000_000_000

    func powerOn() async throws(CaptureError) -> any CardChannel {
        guard !isBusy else { throw .readerFailed(.busy) }
        isBusy = true
        do throws(CaptureError) {
            return try await insertedCard()
        } catch {
            isBusy = false
            throw error
        }
    }

    private func insertedCard() async throws(CaptureError) -> any CardChannel {
        if world.strikes(.readerHangs, .reader) { await world.hang() }
        let isDeaf = world.strikes(.readerLate, .reader)
        let time =
            isDeaf
            ? Int64(3 + world.draw(.reader, "late by", 40)) * Self.second
            : Int64(1 + world.draw(.reader, "card comes", 200)) * 10_000_000
        await world.waitForCard(time, life: life, isDeaf: isDeaf)
        if Task.isCancelled, !isDeaf { throw .cancelled }
        if world.strikes(.noCard, .reader) { throw .noCardPresented }
        if interface == .contactless {
            world.occurs(.contactless)
            return try await tappedCard(isDeaf: isDeaf)
        }
        let staysOffline = world.draw(.reader, "stays offline", 4) == 3
        world.cardTransactions += 1
        world.note("\(name): a card\(staysOffline ? " that stays offline" : "")")
        do {
            let card = try TestCards.shared.get().card(counter: world.cardTransactions, staysOffline: staysOffline)
            return SimulatedChannel(card, world, life: life, isDeaf: isDeaf)
        } catch {
            throw .readerFailed(.cardMute)
        }
    }

    /// A card in the field: the last one again, as a cardholder who is asked for it shows it, or
    /// another one.
    private func tappedCard(isDeaf: Bool) async throws(CaptureError) -> any CardChannel {
        if let lastCard, world.draw(.reader, "another card", 4) < 3 {
            await lastCard.reset()
            world.note("\(name): the card again")
            return SimulatedChannel(lastCard, world, life: life, isDeaf: isDeaf)
        }
        world.cardTransactions += 1
        let system = CardSystem.allCases[Int(world.draw(.reader, "system", UInt64(CardSystem.allCases.count)))]
        world.note("\(name): a card of \(system)")
        guard let card = try? TestCards.shared.get().contactlessCard(counter: world.cardTransactions, of: system) else {
            throw .readerFailed(.cardMute)
        }
        lastCard = card
        return SimulatedChannel(card, world, life: life, isDeaf: isDeaf)
    }

    /// Some cardholders leave their card where it is for a while.
    func isEmpty() async throws(CaptureError) -> Bool { world.draw(.reader, "card stays", 8) < 7 }

    func powerOff() async { isBusy = false }
}

/// The way to a card: it takes time, and the card may be pulled out at each command.
private final class SimulatedChannel: CardChannel, @unchecked Sendable {
    private let card: VirtualCard
    private let world: World
    private let life: Int
    private let isDeaf: Bool
    private var failure: CardChannelError?
    private var cryptograms = 0

    /// Of the commands of a transaction: a fault that strikes a capture once strikes each of its
    /// commands less often.
    private static let commands: UInt64 = 12

    init(_ card: VirtualCard, _ world: World, life: Int, isDeaf: Bool) {
        self.card = card
        self.world = world
        self.life = life
        self.isDeaf = isDeaf
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        var command = command
        let time = Int64(1 + world.draw(.reader, "command takes", 20)) * 5_000_000
        await world.waitForCard(
            world.strikes(.readerSlow, .reader, outOf: Self.commands) ? time * 100 : time, life: life, isDeaf: isDeaf)
        if let failure { throw failure }
        if Task.isCancelled, !isDeaf { throw .cancelled }
        if world.strikes(.cardRemoved, .reader, outOf: Self.commands) { failure = .cardRemoved }
        if world.strikes(.readerFails, .reader, outOf: Self.commands) { failure = .readerFailed(.invalidAnswer) }
        let isAnswered = failure == nil || world.draw(.reader, "card has answered", 2) == 1
        // GENERATE AC (EMV 4.4 Book 3, 6.5.5)
        if command.ins == 0xAE {
            cryptograms += 1
            // It answers each request after the host's answer with an AAC.
            if cryptograms == 2, world.strikes(.cardDeclines, .reader) { command.p1 = 0 }
        }
        let answer = isAnswered ? try await card.transmit(command) : nil
        if let failure { throw failure }
        guard let answer else { throw .timedOut }
        return answer
    }
}
