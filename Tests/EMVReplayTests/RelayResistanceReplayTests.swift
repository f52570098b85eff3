import Bytes
import CardCapture
import CardCryptography
import CardReaders
import Contactless
import EMVKernel
import EMVReplay
import KernelDoubles
import Kernels
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

/// Taps of a virtual Mastercard with relay resistance, recorded and replayed: a log says how the
/// exchange ended, not how long it took.
@Suite("Taps with relay resistance are replayed") struct RelayResistanceReplayTests {
    /// - Parameter milliseconds: What each exchange takes.
    private func report(
        _ milliseconds: Int, _ card: CardRelayResistance = CardRelayResistance(), codes: UInt64 = 0
    ) async throws -> ReplayReport {
        var profile = CardProfile.mastercardStyle()
        var contactless = MastercardContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        contactless.relayResistance = card
        profile.contactless = .mastercard(contactless)
        let personalized = try PersonalizedCard.make(profile)
        let time = Mutex(Duration.zero)
        let delay = CardFault(.delay(milliseconds: milliseconds), at: .every(.exchangeRelayResistanceData))
        let channel = FaultyCard(VirtualCard(personalized, interface: .contactless), [delay]) { milliseconds in
            time.withLock { $0 += .milliseconds(milliseconds) }
        }
        var combination = Combination.mastercard(
            limits: TransactionLimits(floorLimit: 50_00, cvmRequiredLimit: 50_00),
            relayResistance: RelayResistanceLimits())
        if var kernel = combination.kernel as? Kernel2Configuration {
            kernel.actionCodes.denial = .init(rawValue: codes)
            kernel.actionCodes.online = []
            combination.kernel = kernel
        }
        let exchanges = Mutex<[APDUTrace.Exchange]>([])
        let reader = ContactlessReader(
            slot: VirtualReader(card: channel, interface: .contactless),
            configuration: EntryPointConfiguration(
                terminal: .attended(countryCode: 250, applications: [], caKeys: personalized.caPublicKeys),
                combinations: [combination]),
            cardholder: FirstChoice(), clock: { Timestamp(secondsSince1970: 1_773_057_600) },
            timing: .init(uptime: { time.withLock { $0 } }, pause: { _ in }),
            observe: { exchange in exchanges.withLock { $0.append(exchange) } })
        _ = try await reader.capture(CaptureRequest(amount: 10_00, currencyCode: 978, sequenceCounter: 1)) { _ in
            .answered(.init(responseCode: "00"))
        }
        return try await Replay.run(APDUTrace(exchanges: exchanges.withLock { $0 }), caKeys: personalized.caPublicKeys)
    }

    @Test("Command by command alike, and the assumption is said") func alike() async throws {
        let report = try await report(7)
        #expect(report.obstacle == nil)
        #expect(report.changes(.bytes) == [])
        #expect(report.endsAlike)
        #expect(report.logged == .approved)
        #expect(report.assumptions.contains { $0.hasPrefix("relay resistance") })
        #expect(report.result(.terminalVerificationResults)?.hex == "0000000002")
    }

    @Test("A threshold that was exceeded is so again") func threshold() async throws {
        let report = try await report(7, CardRelayResistance(transmission: 0x0001))
        #expect(report.obstacle == nil)
        #expect(report.changes(.bytes) == [])
        #expect(report.endsAlike)
        #expect(report.result(.terminalVerificationResults)?.hex == "000000000A")
    }

    @Test("A repeated exchange is named as not replayed") func repeated() async throws {
        #expect(try await report(50).obstacle == .relayResistance)
    }
}
