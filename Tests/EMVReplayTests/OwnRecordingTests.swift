import Bytes
import CardCapture
import CardCryptography
import CardReaders
import EMVKernel
import EMVReplay
import KernelDoubles
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

/// Transactions of the virtual card under known terminals, recorded and replayed: what the replay
/// takes from the log must be enough to do the same again.
@Suite struct OwnRecordingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var card: @Sendable (inout CardProfile) -> Void = { _ in }
        var terminal: @Sendable (inout TerminalConfiguration) -> Void = { _ in }
        var application: @Sendable (inout ApplicationConfiguration) -> Void = { _ in }
        var answer: OnlineAnswer = .answered(IssuerResponse(responseCode: Array("00".utf8)))
        var amount: UInt64 = 1234

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "online, CDA"),
        Case(name: "online, DDA", card: { $0.interchangeProfile.remove(.cdaSupported) }),
        Case(name: "online, SDA", terminal: { $0.capabilities.remove([.cda, .dda]) }),
        Case(name: "online, no data authentication", terminal: { $0.capabilities.remove([.cda, .dda, .sda]) }),
        Case(name: "offline approved", application: { $0.floorLimit = 10_000 }),
        Case(
            name: "offline approved, DDA, format 1",
            card: {
                $0.interchangeProfile.remove(.cdaSupported); $0.responseFormat = .format1
            }, application: { $0.floorLimit = 10_000 }),
        Case(name: "offline declined by the terminal", application: { $0.actionCodes.denial = .floorLimitExceeded }),
        Case(
            name: "offline declined by the card", card: { $0.riskRule.declinesAbove = 1000 },
            application: { $0.floorLimit = 10_000 }),
        Case(
            name: "card goes online", card: { $0.riskRule.goesOnlineAbove = 1000 },
            application: { $0.floorLimit = 10_000 }),
        Case(name: "issuer declines", answer: .answered(IssuerResponse(responseCode: Array("51".utf8)))),
        Case(
            name: "unable to go online, declined", application: { $0.actionCodes.default = .floorLimitExceeded },
            answer: .unableToGoOnline),
        Case(
            name: "wrong ARPC",
            answer: .answered(
                IssuerResponse(responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8]))),
        Case(
            name: "without directory", card: { $0.hasPaymentSystemEnvironment = false },
            terminal: { $0.usesPaymentSystemEnvironment = false }),
        Case(
            name: "signature",
            terminal: {
                $0.capabilities.remove(.noCVM); $0.capabilities.insert(.signature)
            }),
        Case(name: "plaintext PIN", terminal: { $0.capabilities.insert(.plaintextOfflinePIN) }),
        Case(name: "online PIN", terminal: { $0.capabilities.insert(.encipheredOnlinePIN) }),
        Case(
            name: "with PDOL",
            card: { $0.pdol = DOL(entries: [DOL.Entry(.amountAuthorised, 6), DOL.Entry(.unpredictableNumber, 4)]) }),
        Case(
            name: "velocity limits", card: { $0.consecutiveOfflineLimits = 1...3 },
            application: { $0.floorLimit = 10_000 }),
        Case(name: "expired", card: { $0.account.expiry = [0x25, 0x12, 0x31] }),
        Case(name: "other version", application: { $0.versions = [0x0001] }),
        Case(
            name: "XDA", card: { $0 = Self.curves($0) }, terminal: { $0.capabilities.insert(.xda) },
            application: { $0.floorLimit = 10_000 }
        ),
        Case(name: "XDA online", card: { $0 = Self.curves($0) }, terminal: { $0.capabilities.insert(.xda) }),
        Case(
            name: "PIN enciphered by ECC", card: { $0 = Self.curves($0) },
            terminal: { $0.capabilities.formUnion([.xda, .encipheredOfflinePINByECC]) }),
        Case(
            name: "wrong PIN to the last try", card: { $0.pin = PIN(ascii: "9999".utf8) },
            terminal: { $0.capabilities.insert(.encipheredOfflinePINByRSA) }),
        Case(
            name: "wrong plaintext PIN to the last try", card: { $0.pin = PIN(ascii: "9999".utf8) },
            terminal: { $0.capabilities.insert(.plaintextOfflinePIN) }),
        Case(name: "PIN enciphered by RSA", terminal: { $0.capabilities.insert(.encipheredOfflinePINByRSA) }),
        Case(
            name: "PIN enciphered under a key for PINs", card: { $0.hasPINEnciphermentKey = true },
            terminal: { $0.capabilities.insert(.encipheredOfflinePINByRSA) }),
        Case(name: "use not allowed", card: { $0.usageControl = [.domesticGoods] }),
    ]

    @Test("A recorded transaction replays with the same commands and outcome", arguments: cases)
    func replaysAlike(_ test: Case) async throws {
        var profile = CardProfile.visaStyle()
        test.card(&profile)
        let card = try PersonalizedCard.make(profile)
        var application = ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096])
        test.application(&application)
        var configuration = TerminalConfiguration(
            capabilities: [.contactChip, .noCVM, .sda, .dda, .cda], additionalCapabilities: [.goods, .services],
            countryCode: 276,
            applications: [application], caKeys: card.caPublicKeys)
        configuration.allowsPlaintextOfflinePIN = true
        test.terminal(&configuration)

        let recorded = Recording()
        let pad = try pinPad()
        let live = await ContactKernel(configuration).perform(
            TransactionRequest(amount: test.amount, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0, 0]),
            card: RecordingChannel(VirtualCard(card)) { recorded.append($0) }, cardholder: FirstChoice(pinPad: pad),
            issuer: FixedIssuer(test.answer),
            environment: FixedEnvironment(number: [0x11, 0x22, 0x33, 0x44], percentage: 50))

        // Through the text and back: what is written is what is read.
        var writer = APDUTraceWriter(.testCard)
        let hidesPIN = recorded.exchanges.contains { $0.command.instruction == .verify }
        let trace =
            hidesPIN
            ? APDUTrace(
                exchanges: recorded.exchanges.enumerated().map {
                    .init(line: $0 + 1, command: $1.command, response: $1.response)
                })
            : try APDUTrace(parsing: recorded.exchanges.map { writer.lines($0) }.joined())
        let report = try await Replay.run(trace, caKeys: card.caPublicKeys)
        #expect(report.endsAlike, "log \(report.logged), replay \(report.replayed); live \(live.decision.summary)")
        #expect(
            report.sendsAlike, "\(report.steps.filter { $0.verdict != .same }.map { "\($0.command) \($0.verdict)" })")
        #expect(report.outcome?.tvr == live.tvr)
        // The certificates of an expired card, made with it, are expired too, the issuer's first.
        let evidence = Evidence.examine(trace, caKeys: card.caPublicKeys)
        let isExpired = live.tvr.contains(.expiredApplication)
        #expect(evidence.filter(\.isDisproved).map(\.subject) == (isExpired ? ["issuer certificate"] : []))
        // Without the issuer's key the cryptograms are all that cannot be proved.
        let missing = evidence.filter { !$0.isVerified && !$0.isDisproved }
        #expect(isExpired || missing.allSatisfy { $0.result == .notChecked(.issuerKey(.issuerMasterKey)) })
        #expect(
            missing.count { $0.kind == .cryptogram } == trace.exchanges.count { $0.command.instruction == .generateAC })
    }

    /// The same application with elliptic curve keys.
    private static func curves(_ profile: CardProfile) -> CardProfile {
        var profile = profile
        profile.ellipticCurve = .p256
        profile.interchangeProfile.subtract([.sdaSupported, .ddaSupported, .cdaSupported])
        profile.interchangeProfile.insert(.xdaSupported)
        return profile
    }

    private func pinPad() throws -> VirtualPINPad {
        let serial = try #require(KeySerialNumber(try [UInt8](hex: "FFFF9876543210E00000")))
        let base = try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
        let pin = try #require(PIN(ascii: "1234".utf8))
        return VirtualPINPad(
            .enters(pin), initialKey: try TDESDUKPT.initialKey(baseDerivationKey: base, serialNumber: serial),
            serialNumber: serial)
    }
}

private final class Recording: Sendable {
    private let kept = Mutex<[APDUTrace.Exchange]>([])
    var exchanges: [APDUTrace.Exchange] { kept.withLock { $0 } }
    func append(_ exchange: APDUTrace.Exchange) { kept.withLock { $0.append(exchange) } }
}
