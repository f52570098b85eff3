import Bytes
import CardCryptography
import Contactless
import EMVKernel
import KernelDoubles
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

private let personalizer = Result { () throws(PersonalizationError) in try CardPersonalizer() }
private let cardKey = Result { () throws(RSAError) in try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3) }

/// A virtual card of kernel 8 at Entry Point and our kernel, and what may come between them.
struct Kernel8Bench {
    let card: PersonalizedCard
    var kernel = Kernel8Configuration(
        floorLimit: 25_00, cvmRequiredLimit: 50_00, verificationAboveLimit: [.signature, .consumerDevice, .onlinePIN])
    var type = TerminalType.attendedOnlineWithOfflineCapability
    var request = TransactionRequest(
        amount: 10_00, currencyCode: 978, date: [0x26, 0x03, 0x09], time: [0x12, 0x00, 0x00])
    var caKeys: [CAPublicKey]
    /// Of the terminal; the card's application is found by its first bytes.
    var aid: [UInt8]
    var faults: [CardFault] = []
    /// Whether the terminal's exception file has a card.
    var isListed: @Sendable ([UInt8]) -> Bool = { _ in false }
    /// What each exchange takes.
    var elapsed = Duration.zero
    /// Changes commands on their way to the card.
    var ask: (CommandAPDU) -> CommandAPDU = { $0 }
    /// Changes answers on their way to the kernel.
    var change: (CommandAPDU, ResponseAPDU) -> ResponseAPDU = { $1 }

    init(
        _ change: (inout Kernel8ContactlessProfile) -> Void = { _ in }, profile: (inout CardProfile) -> Void = { _ in }
    ) throws {
        var contactless = Kernel8ContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        change(&contactless)
        var style = CardProfile.kernel8Style(contactless)
        profile(&style)
        card = try personalizer.get().personalize(style, iccKey: cardKey.get())
        caKeys = card.caPublicKeys
        aid = style.applications[0].aid
    }

    func run() async throws -> VirtualTap.Run { try await run(VirtualCard(card, interface: .contactless)) }

    func run(_ virtual: VirtualCard) async throws -> VirtualTap.Run {
        let terminal = TerminalConfiguration(
            type: type, capabilities: [.contactChip, .signature, .encipheredOnlinePIN], additionalCapabilities: [],
            countryCode: 56,
            applications: [], caKeys: caKeys)
        var configuration = EntryPointConfiguration(
            terminal: terminal, combinations: [Combination(aid: aid, limits: TransactionLimits(), kernel: kernel)])
        configuration.maximumPresentations = 3
        var environment = FixedEnvironment(percentage: 50)
        environment.isListed = isListed
        return try await VirtualTap.run(
            EntryPoint(configuration, request: request, environment: environment),
            with: FaultyCard(virtual, faults) { _ in },
            elapsed: elapsed, ask: ask, change: change)
    }

    // MARK: What the issuer makes of it

    /// Whether the cryptogram is that of the card's issuer, over what the acquirer is sent.
    func isRight(_ outcome: ContactlessOutcome) throws -> Bool {
        let data = try #require(outcome.data)
        let profile = card.profile
        let version = profile.cryptograms.version
        let counter = UInt16(truncatingIfNeeded: try #require(data.card.integer(.applicationTransactionCounter)))
        let input = try version.input(
            terminalData: DOL.cryptogramInput.concatenate(data.terminal),
            applicationInterchangeProfile: #require(data[.applicationInterchangeProfile]), atc: counter,
            issuerApplicationData: #require(data[.issuerApplicationData]))
        let master = try version.masterKeyDerivation.cardMasterKey(
            from: profile.issuerMasterKeys.applicationCryptogram,
            pan: #require(AccountNumber(ascii: profile.account.pan.revealed())),
            panSequenceNumber: profile.account.panSequenceNumber)
        let key = try version.sessionKeyDerivation.sessionKey(from: master, atc: counter, unpredictableNumber: [])
        return ApplicationCryptogram.isValid(try #require(data[.applicationCryptogram]), for: input, sessionKey: key)
    }
}

extension ResponseAPDU {
    /// With the byte at `index` of the data changed.
    func corrupted(at index: Int) -> ResponseAPDU {
        guard data.indices.contains(index) else { return self }
        var changed = self
        changed.data[index] ^= 0x01
        return changed
    }
}
