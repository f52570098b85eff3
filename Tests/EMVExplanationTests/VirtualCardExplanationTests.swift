import Bytes
import CardCryptography
import EMVExplanation
import EMVKernel
import KernelDoubles
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

/// Transactions of the virtual card with our kernel, recorded with what the kernel decided, and
/// explained: the explanation says what the kernel knows.
@Suite struct VirtualCardExplanationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var card: @Sendable (inout CardProfile) -> Void = { _ in }
        var application: @Sendable (inout ApplicationConfiguration) -> Void = { _ in }
        var answer: OnlineAnswer = .answered(IssuerResponse(responseCode: Array("00".utf8)))
        let outcome: Explanation.Outcome
        let words: String
        /// What must be among the reasons.
        let reason: String

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(
            name: "online", outcome: .approved, words: "approved online.",
            reason:
                "The terminal asked for an ARQC (go online): the issuer action code online names “Transaction exceeds floor limit”."
        ),
        Case(
            name: "offline", application: { $0.floorLimit = 10_000 }, outcome: .approved,
            words: "approved offline by the card.",
            reason: "The card was asked for a TC and gave it."),
        Case(
            name: "denied by the terminal", application: { $0.actionCodes.denial = .floorLimitExceeded },
            outcome: .declined,
            words: "declined offline by the terminal: Transaction exceeds floor limit.",
            reason: "no bit of its TVR is in the issuer action code denial"),
        Case(
            name: "declined by the card", card: { $0.riskRule.declinesAbove = 1000 },
            application: { $0.floorLimit = 10_000 },
            outcome: .declined,
            words: "declined offline by the card, which was asked for TC.", reason: "gave AAC (decline) instead"),
        Case(
            name: "issuer declines", answer: .answered(IssuerResponse(responseCode: Array("51".utf8))),
            outcome: .declined,
            words: "declined online: the issuer answered \"51\", insufficient funds.",
            reason: "The issuer answered \"51\", insufficient funds."),
        Case(
            name: "out of reach", application: { $0.actionCodes.default = .floorLimitExceeded },
            answer: .unableToGoOnline,
            outcome: .declined,
            words: "declined by the terminal, the issuer being unreachable.", reason: "\"Z3\""),
        Case(
            // The profile's issuer action codes ask the issuer about an expired card, and this
            // issuer says yes.
            name: "expired", card: { $0.account.expiry = [0x25, 0x12, 0x31] }, outcome: .approved,
            words: "approved online.",
            reason: "Expired application"),
    ]

    @Test(arguments: cases) func saysWhatTheKernelKnows(_ test: Case) async throws {
        var profile = CardProfile.visaStyle()
        test.card(&profile)
        let card = try PersonalizedCard.make(profile)
        var application = ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096])
        test.application(&application)
        let configuration = TerminalConfiguration(
            capabilities: [.contactChip, .noCVM, .sda, .dda, .cda], additionalCapabilities: [.goods, .services],
            countryCode: 276,
            applications: [application], caKeys: card.caPublicKeys)
        let log = Log()
        let live = await ContactKernel(configuration).perform(
            TransactionRequest(amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0, 0]),
            card: RecordingChannel(VirtualCard(card)) { log.append(.exchange($0)) }, cardholder: FirstChoice(),
            issuer: FixedIssuer(test.answer),
            environment: FixedEnvironment(number: [0x11, 0x22, 0x33, 0x44], percentage: 50)
        ) { log.append(.decision(APDUTrace.Decision(phase: $0.phase.rawValue, summary: $0.summary))) }

        var writer = APDUTraceWriter(.testCard)
        let trace = try APDUTrace(parsing: writer.text(APDUTrace(entries: log.entries)))
        let explanation = Explanation(trace, caKeys: card.caPublicKeys)
        let reasons = explanation.verdict.reasons.joined(separator: "\n")
        #expect(
            explanation.verdict.outcome == test.outcome,
            "\(explanation.verdict.sentence)")
        #expect(
            explanation.verdict.sentence.contains(test.words),
            "\(explanation.verdict.sentence)")
        #expect(explanation.verdict.sentence.contains("12.34 EUR"))
        #expect(reasons.contains(test.reason), "\(reasons)")
        switch live.decision {
        case .approved: #expect(explanation.verdict.outcome == .approved)
        case .declined: #expect(explanation.verdict.outcome == .declined)
        case .terminated: #expect(explanation.verdict.outcome == .ended)
        }
        // Every phase stands where EMV 4.4 Book 3, 8.2 has it, and none twice: the log has all of
        // the kernel's steps.
        let order = KernelEvent.Phase.allCases.map(\.rawValue)
        let places = explanation.phases.compactMap { order.firstIndex(of: $0.name) }
        #expect(places == places.sorted(), "\(explanation.phases.map(\.name))")
        #expect(Set(places).count == places.count, "\(explanation.phases.map(\.name))")
        let decisions = explanation.phases.flatMap(\.steps).count {
            if case .decision = $0.event { true } else { false }
        }
        #expect(decisions == log.entries.count { if case .decision = $0.event { true } else { false } })
        // A card whose certificates are right has nothing wrong about it.
        let isExpired = live.tvr.contains(.expiredApplication)
        #expect(explanation.evidence.contains { $0.state == .disproved } == isExpired)
        #expect(ExplanationPage(explanation).html.contains("</html>"))
    }

    @Test(
        "The signature of INTERNAL AUTHENTICATE is checked, right and with one bit of it wrong",
        arguments: [false, true])
    func dynamicDataAuthentication(_ isForged: Bool) async throws {
        var profile = CardProfile.visaStyle()
        profile.interchangeProfile.remove(.cdaSupported)
        let card = try PersonalizedCard.make(profile)
        let configuration = TerminalConfiguration(
            capabilities: [.contactChip, .noCVM, .sda, .dda, .cda], additionalCapabilities: [.goods, .services],
            countryCode: 276,
            applications: [
                ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096])
            ],
            caKeys: card.caPublicKeys)
        let log = Log()
        _ = await ContactKernel(configuration).perform(
            TransactionRequest(amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0, 0]),
            card: RecordingChannel(VirtualCard(card)) { log.append(.exchange($0)) }, cardholder: FirstChoice(),
            issuer: FixedIssuer.unreachable,
            environment: FixedEnvironment(number: [0x11, 0x22, 0x33, 0x44], percentage: 50))
        let exchanges = APDUTrace(entries: log.entries).exchanges.enumerated().map { index, exchange in
            var response = exchange.response
            if isForged, exchange.command.instruction == .internalAuthenticate {
                response.data[response.data.count - 1] ^= 1
            }
            return APDUTrace.Exchange(line: index + 1, command: exchange.command, response: response)
        }
        let explanation = Explanation(APDUTrace(exchanges: exchanges), caKeys: card.caPublicKeys)
        #expect(explanation.evidence.first { $0.subject == "DDA" }?.state == (isForged ? .disproved : .proved))
        #expect(explanation.phases.contains { $0.name == "Offline data authentication" && $0.steps.count == 1 })
    }
}

private final class Log: Sendable {
    private let kept = Mutex<[APDUTrace.Entry]>([])
    var entries: [APDUTrace.Entry] { kept.withLock { $0 } }
    func append(_ event: APDUTrace.Event) { kept.withLock { $0.append(APDUTrace.Entry(event)) } }
}
