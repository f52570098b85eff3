internal import BenchHost
internal import CardCapture
internal import CardCryptography
internal import EMVKernel
internal import KernelDoubles
internal import SmartCard
internal import TLV
internal import VirtualCard

/// The shipped chip reader and contact kernel over a slot with a virtual card, which computes its signatures and cryptograms.
enum KernelReader {
    static func make(_ world: World, life: Int, number: Int) throws -> ChipReader {
        let bench = try TestCards.shared.get()
        let kernel = ContactKernel(
            TerminalConfiguration(
                capabilities: [.contactChip, .sda, .dda, .cda, .noCVM, .signature], additionalCapabilities: [.goods, .codeTable1],
                countryCode: 276,
                applications: [
                    ApplicationConfiguration(
                        aid: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], versions: [0x0096],
                        actionCodes: ActionCodes(denial: [], online: [], default: []))
                ], caKeys: bench.caKeys))
        return ChipReader(slot: SimulatedSlot(world, life: life, number: number), kernel: kernel, cardholder: FirstChoice()) {
            Timestamp(secondsSince1970: World.start + world.now / 1_000_000_000 + world.clockOffset)
        }
    }

}

/// Cards of a bench whose test keys are made when the process starts: before the first seed, so that no run differs by it.
struct TestCards {
    private let personalizer: CardPersonalizer
    private let iccKey: RSAPrivateKey
    let caKeys: [CAPublicKey]

    /// Short, so that they are made fast; the issuer's length leaves room for the card's.
    private static let sizes = RSAKeySizes(certificationAuthority: 1024, issuer: 896, icc: 768)

    static let shared = Result { try TestCards() }

    /// The issuer of these cards, and of the numbers that are keyed.
    static func issuer() throws -> TestIssuer { try BenchIssuer.make([profile]) }

    private init() throws {
        personalizer = try CardPersonalizer(Self.sizes)
        iccKey = try RSAPrivateKey.generate(modulusBits: Self.sizes.icc, exponent: Self.sizes.exponent)
        caKeys = try personalizer.personalize(Self.profile, iccKey: iccKey).caPublicKeys
    }

    private static var profile: CardProfile {
        var profile = CardProfile.visaStyle()
        profile.keySizes = sizes
        return profile
    }

    /// - Parameters:
    ///   - counter: Of its transactions so far, tag `9F36`.
    ///   - staysOffline: It asks for no online authorisation on its own.
    func card(counter: UInt16, staysOffline: Bool) throws -> VirtualCard {
        var profile = Self.profile
        profile.initialATC = counter
        if staysOffline { profile.actionCodes = IssuerActionCodes(online: [], default: []) }
        return VirtualCard(try personalizer.personalize(profile, iccKey: iccKey))
    }
}

/// A slot that waits for its card, and keeps its promises or does not.
private final class SimulatedSlot: CardSlot, @unchecked Sendable {
    let name: String
    let capabilities: ReaderCapabilities = .contactChip
    let events = ReaderEvents()
    private let world: World
    private let life: Int
    private var isBusy = false

    init(_ world: World, life: Int, number: Int) {
        self.world = world
        self.life = life
        name = "Simulated slot \(number)"
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
            ? Int64(3 + world.draw(.reader, "late by", 40)) * Self.second : Int64(1 + world.draw(.reader, "card comes", 200)) * 10_000_000
        await world.waitForCard(time, life: life, isDeaf: isDeaf)
        if Task.isCancelled, !isDeaf { throw .cancelled }
        if world.strikes(.noCard, .reader) { throw .noCardPresented }
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

    /// Of the commands of a transaction: a fault that strikes a capture once strikes each of its commands less often.
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
        await world.waitForCard(world.strikes(.readerSlow, .reader, outOf: Self.commands) ? time * 100 : time, life: life, isDeaf: isDeaf)
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
