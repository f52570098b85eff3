import BenchHost
import CardCapture
import CardCryptography
import CardProfiles
import CardReaders
import Contactless
import EMVKernel
import SmartCard
import TLV
import VirtualCard

/// Runs a case whose card is tapped: Entry Point and the kernels behind it.
enum PlanTap {
    /// - Parameters:
    ///   - card: The card of `profile`, with its faults.
    ///   - timing: Of the clock that these faults move.
    static func run(
        _ test: TestCase, _ profile: CardProfile, card: any CardChannel, timing: ContactlessReader.Timing,
        caKeys: [CAPublicKey]
    ) async throws -> CaptureOutcome {
        let cardholder = try PlanCardholder(test)
        let issuer = try PlanIssuer(test, profile)
        let amount = test.expectation.amount
        let reader = ContactlessReader(
            slot: VirtualReader(card: card, interface: .contactless),
            configuration: configuration(test, profile, caKeys: caKeys, hasPINPad: cardholder.pinPad != nil),
            cardholder: cardholder,
            environment: PlanEnvironment(
                percentage: 99, isOnExceptionFile: test.terminal.hasCardOnExceptionFile ?? false),
            // Noon of 21 November 2026.
            clock: { Timestamp(secondsSince1970: 1_795_262_400) }, timing: timing)
        return try await reader.capture(
            CaptureRequest(
                amount: amount, cashback: test.transaction.amountOther ?? 0,
                currencyCode: test.transaction.currencyCode ?? 978,
                kind: PlanTerminal.kind(test), sequenceCounter: 1)
        ) { await issuer.authorize($0, amount: amount) }
    }

    /// The contactless reader of docs/card-profile.md, with the changes of the case.
    private static func configuration(
        _ test: TestCase, _ profile: CardProfile, caKeys: [CAPublicKey], hasPINPad: Bool
    ) -> EntryPointConfiguration {
        let requested = test.terminal
        var limits = BenchLane.limits
        if let limit = requested.floorLimit { limits.floorLimit = UInt64(limit) }
        if let limit = requested.verificationLimit { limits.cvmRequiredLimit = limit }
        if let limit = requested.transactionLimit { limits.transactionLimit = limit }
        var terminal = TerminalConfiguration.attended(
            countryCode: requested.countryCode ?? 276, applications: [],
            caKeys: requested.knowsAuthority ?? true ? caKeys : [],
            hasPINPad: hasPINPad)
        if let type = requested.type { terminal.type = TerminalType(rawValue: type) }
        return EntryPointConfiguration(
            terminal: terminal,
            combinations: BenchLane.combinations(
                profile, limits: limits, hasPINPad: hasPINPad, relayResistance: RelayResistanceLimits()))
    }
}
