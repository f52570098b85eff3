import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardReaders
import Contactless
import EMVKernel
import Kernels
import PaymentTerminal
import Receipts
import SmartCard
import Synchronization
import TLV
import TerminalFiles
import Testing
import VirtualCard

/// A cable that can be pulled between terminal and host, and what went over it.
private final class CabledHost: PaymentHost {
    private let host: BenchHost
    private let isPlugged = Mutex(true)
    private let asked = Mutex<[AuthorizationRequest]>([])

    init(_ host: BenchHost) { self.host = host }

    var testOnlyReason: String? { host.testOnlyReason }
    var requests: [AuthorizationRequest] { asked.withLock { $0 } }
    func plug(_ isPlugged: Bool) { self.isPlugged.withLock { $0 = isPlugged } }

    private func reached() throws(HostError) -> BenchHost {
        guard isPlugged.withLock({ $0 }) else { throw HostError(.unreachable, "no network: check the cable") }
        return host
    }

    func settings() async throws(HostError) -> HostSettings { try await reached().settings() }
    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        let host = try reached()
        asked.withLock { $0.append(request) }
        return try await host.authorize(request)
    }
    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await reached().refund(request)
    }
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await reached().capture(request)
    }
    func advise(_ advice: Advice) async throws(HostError) { try await reached().advise(advice) }
    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus { try await reached().status(of: orderID) }
    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        try await reached().transactions(query)
    }
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await reached().registerSecureCard(registration)
    }
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await reached().retrieveSecureCard(reference)
    }
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await reached().updateSecureCard(registration)
    }
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await reached().deleteSecureCard(reference, token: token)
    }
}

/// Taps of every kernel at a terminal whose host verifies cryptograms, codes of tracks and PINs.
/// The terminal has the limits 100.01, 25.00 (floor) and 50.00 (verification of the cardholder).
@Suite("A terminal and taps of each kernel", .timeLimit(.minutes(20))) struct TapTerminalTests {
    enum System: CaseIterable {
        case visa, mastercard, americanExpress, unionPay, kernel8

        /// A card that approves up to 25.00 offline, with PIN for the issuer, then signature.
        var profile: CardProfile {
            switch self {
            case .visa:
                var contactless = VisaContactlessProfile()
                contactless.approvesOfflineUpTo = 25_00
                return .visaStyle(contactless)
            case .mastercard:
                var contactless = MastercardContactlessProfile()
                contactless.approvesOfflineUpTo = 25_00
                return .mastercardStyle(contactless)
            case .americanExpress:
                var contactless = AmericanExpressContactlessProfile()
                contactless.approvesOfflineUpTo = 25_00
                return .americanExpressStyle(contactless)
            case .unionPay:
                var contactless = VisaContactlessProfile()
                contactless.approvesOfflineUpTo = 25_00
                return .unionPayStyle(contactless)
            case .kernel8:
                var contactless = Kernel8ContactlessProfile()
                contactless.approvesOfflineUpTo = 25_00
                return .kernel8Style(contactless)
            }
        }

        /// Of Visa and Mastercard.
        var magstripeProfile: CardProfile {
            var profile = profile
            switch profile.contactless {
            case .visa(var visa):
                visa.mode = .magstripe
                profile.contactless = .visa(visa)
            case .mastercard(var mastercard):
                mastercard.mode = .magstripe
                profile.contactless = .mastercard(mastercard)
            default: break
            }
            return profile
        }

        func combination(_ profile: CardProfile, hasPINPad: Bool) -> Combination {
            let limits = TransactionLimits(transactionLimit: 100_01, floorLimit: 25_00, cvmRequiredLimit: 50_00)
            return switch self {
            case .visa: .visa(limits: limits, hasPINPad: hasPINPad)
            case .mastercard: .mastercard(limits: limits, hasPINPad: hasPINPad)
            case .americanExpress: .americanExpress(limits: limits, hasPINPad: hasPINPad)
            case .unionPay: .unionPay(limits: limits, hasPINPad: hasPINPad)
            case .kernel8: .kernel8(aid: profile.applications[0].aid, limits: limits, hasPINPad: hasPINPad)
            }
        }
    }

    private static let keys = Result {
        try (personalizer: CardPersonalizer(), icc: RSAPrivateKey.generate(modulusBits: 1024, exponent: 3))
    }

    /// Headers of the commands to the card, and the status words of its answers.
    private final class Exchanges: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ exchange: APDUTrace.Exchange) {
            lines.withLock { $0.append("\(exchange.command.header.hex) \(exchange.response.status)") }
        }
        func last(_ count: Int) -> [String] { lines.withLock { $0.suffix(count) } }
    }

    private final class Lane: Sendable {
        let card: VirtualCard
        let queue = ScriptQueue()
        let bench: Bench
        let host: CabledHost
        let terminal: Terminal
        let exchanges = Exchanges()

        /// - Parameter pin: What the cardholder enters at the PIN pad; nil without one.
        init(
            _ system: System, _ profile: CardProfile? = nil, magstripe: Bool = false, pin: String? = nil,
            offline: OfflinePolicy = OfflinePolicy(), at known: Bench? = nil,
            combination change: (inout Combination) -> Void = { _ in }
        ) async throws {
            let keys = try keys.get()
            let profile = profile ?? (magstripe ? system.magstripeProfile : system.profile)
            let personalized = try keys.personalizer.personalize(profile, iccKey: keys.icc)
            card = VirtualCard(personalized, interface: .contactless)
            var issuer = IssuerProfile(
                leadingDigits: String(decoding: profile.account.pan.revealed().prefix(6), as: UTF8.self),
                masterKeys: profile.issuerMasterKeys, cryptogram: profile.cryptograms.version,
                pin: PIN(ascii: "1234".utf8))
            issuer.takeTracks(of: profile.contactless)
            bench =
                try known
                ?? Bench(
                    issuer: TestIssuer(profiles: [issuer], pinKey: TestPINPad.baseDerivationKey, scripts: queue.policy))
            host = CabledHost(bench.host)
            var configuration = Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro, mode: .test)
            configuration.offline = offline
            configuration.limits.retry = .seconds(3600)
            terminal = Terminal(configuration: configuration, host: host, journal: MemoryJournal()) {
                Timestamp(secondsSince1970: 1_795_262_400)
            }
            let serialNumber = try #require(KeySerialNumber([UInt8](hex: "FFFF9876543210E00000")))
            let initialKey = try TDESDUKPT.initialKey(
                baseDerivationKey: TestPINPad.baseDerivationKey, serialNumber: serialNumber)
            let pad = try pin.map { pin in
                try VirtualPINPad(
                    .enters(#require(PIN(ascii: pin.utf8))), initialKey: initialKey, serialNumber: serialNumber)
            }
            var combination = system.combination(profile, hasPINPad: pad != nil)
            if magstripe, case .visa = system { combination.kernel = Kernel3Configuration(supportsMagstripeMode: true) }
            change(&combination)
            let observer = ChipReader.Observer(exchange: { [exchanges] exchange in
                exchanges.add(exchange)
            })
            try await terminal.connect(
                VirtualReader(card: card, interface: .contactless),
                kernel: .attended(
                    countryCode: 276, applications: [], caKeys: personalized.caPublicKeys, hasPINPad: pad != nil),
                contactless: [combination], pinPad: pad, observer: observer)
        }

        func sell(_ order: String, _ minorUnits: Int64) async throws -> PaymentResponse {
            try await terminal.processSale(
                Sale(orderID: OrderID(order), amount: Money(minorUnits: minorUnits, currency: .euro)))
        }
    }

    // MARK: Online

    /// ISO 8583 field 55: what an issuer needs to verify a cryptogram (EMV 4.4 Book 2, table 28),
    /// and to know what it was about.
    @Test("Above the floor limit the host gets field 55 and verifies the cryptogram in it", arguments: System.allCases)
    func online(_ system: System) async throws {
        let lane = try await Lane(system)
        let response = try await lane.sell("o1", 30_00)
        #expect(response.outcome == .approved)
        #expect(response.entryMode == .contactlessChip)
        let request = try #require(lane.host.requests.first)
        #expect(lane.host.requests.count == 1)
        #expect(request.purpose == .sale)
        #expect(request.processing == .online)
        let elements = try DataElements(parsing: #require(request.chipData))
        let wanted: [TLV.Tag] = [
            0x9F02, 0x9F03, 0x9F1A, 0x95, 0x5F2A, 0x9A, 0x9C, 0x9F37, 0x82, 0x9F36, 0x9F10, 0x9F26, 0x9F27, 0x84,
            0x5F34,
        ]
        for tag in wanted { #expect(elements.contains(tag), "\(tag)") }
        #expect(elements[.cryptogramInformationData] == [0x80])
        #expect(elements[.amountAuthorised] == [0, 0, 0, 0, 0x30, 0x00])
        #expect(!elements.contains(.applicationPAN))
        #expect(!elements.contains(.track2EquivalentData))
    }

    @Test("A cryptogram of another card's key is declined with 88", arguments: System.allCases) func wrongCryptogram(
        _ system: System
    )
        async throws
    {
        var profile = system.profile
        let lane = try await Lane(system, profile)
        // The issuer knows the keys of the profile; this card has others.
        var keys = profile.issuerMasterKeys
        swap(&keys.applicationCryptogram, &keys.integrity)
        profile.issuerMasterKeys = keys
        let stranger = try Self.keys.get().personalizer.personalize(profile, iccKey: Self.keys.get().icc)
        let combination = system.combination(profile, hasPINPad: false)
        try await lane.terminal.connect(
            VirtualReader(card: VirtualCard(stranger, interface: .contactless), interface: .contactless),
            kernel: .attended(countryCode: 276, applications: [], caKeys: stranger.caPublicKeys),
            contactless: [combination])
        let response = try await lane.sell("o1", 30_00)
        #expect(response.outcome == .declined)
        #expect(response.responseCode == "88")
    }

    // MARK: Verification of the cardholder

    @Test("From the limit on the cardholder enters a PIN, which the issuer verifies", arguments: System.allCases)
    func onlinePIN(_ system: System) async throws {
        let lane = try await Lane(system, pin: "1234")
        #expect(try await lane.sell("o1", 49_99).outcome == .approved)
        let response = try await lane.sell("o2", 50_01)
        #expect(response.outcome == .approved)
        #expect(!response.receipt.requiresSignature)
        #expect(response.receipt.text(for: .cardholder).contains("PIN"))
        let cards = lane.host.requests.compactMap { request -> CapturedCard? in
            if case .captured(let card) = request.card { card } else { nil }
        }
        #expect(cards.map { $0.pin != nil } == [false, true])
    }

    @Test("A wrong PIN is declined with 55", arguments: System.allCases) func wrongPIN(_ system: System) async throws {
        let response = try await Lane(system, pin: "4321").sell("o1", 60_00)
        #expect(response.outcome == .declined)
        #expect(response.responseCode == "55")
    }

    @Test("Without a PIN pad the cardholder signs the merchant's copy", arguments: System.allCases) func signature(
        _ system: System
    )
        async throws
    {
        let lane = try await Lane(system)
        let response = try await lane.sell("o1", 60_00)
        #expect(response.outcome == .approved)
        #expect(response.receipt.requiresSignature)
        let (merchant, cardholder) = (response.receipt.text(for: .merchant), response.receipt.text(for: .cardholder))
        #expect(merchant.contains("Signature"))
        #expect(!cardholder.contains("____"))
        #expect(try await !lane.sell("o2", 30_00).receipt.requiresSignature)
    }

    // MARK: Stored payments

    @Test(
        "What the card approves without the host is stored, and reaches the host later, once",
        arguments: System.allCases)
    func storedOffline(_ system: System) async throws {
        let lane = try await Lane(system)
        lane.host.plug(false)
        let stored = try await lane.sell("o1", 10_00)
        #expect(stored.outcome == .storedOffline)
        #expect(stored.entryMode == .contactlessChip)
        #expect(await lane.terminal.pendingPayments.map(\.orderID.text) == ["o1"])
        lane.host.plug(true)
        #expect(try await lane.terminal.recoverPending().map(\.outcome) == [.approved])
        #expect(try await lane.terminal.recoverPending().isEmpty)
        #expect(try await lane.bench.orders().map(\.orderID.text) == ["o1"])
    }

    @Test(
        "What the issuer must decide is declined without the host: a chip has its say, and no policy changes it",
        arguments: System.allCases
    )
    func withoutHost(_ system: System) async throws {
        for offline in [OfflinePolicy(), OfflinePolicy(deferredAuthorization: [.contactlessChip])] {
            let lane = try await Lane(system, offline: offline)
            lane.host.plug(false)
            #expect(try await lane.sell("o1", 30_00).outcome == .declined)
            lane.host.plug(true)
            _ = try await lane.terminal.recoverPending()
            #expect(lane.host.requests.isEmpty)
        }
    }

    @Test(
        "A track of mag-stripe mode is deferred where the terminal may, and its code verified later",
        arguments: [System.visa, .mastercard])
    func deferred(_ system: System) async throws {
        let strict = try await Lane(system, magstripe: true)
        strict.host.plug(false)
        #expect(try await strict.sell("o1", 30_00).outcome == .declined)
        let lane = try await Lane(
            system, magstripe: true, offline: OfflinePolicy(deferredAuthorization: [.contactlessStripe]))
        lane.host.plug(false)
        #expect(try await lane.sell("o1", 30_00).outcome == .storedOffline)
        #expect(lane.host.requests.isEmpty)
        lane.host.plug(true)
        #expect(try await lane.terminal.recoverPending().map(\.outcome) == [.approved])
        #expect(lane.host.requests.map(\.processing) == [.deferred])
        #expect(try await lane.bench.orders().count == 1)
    }

    // MARK: Mag-stripe mode

    @Test(
        "Tracks of mag-stripe mode go to the host by entry mode 91, and each code counts once",
        arguments: [System.visa, .mastercard])
    func magstripe(_ system: System) async throws {
        let lane = try await Lane(system, magstripe: true)
        for order in ["o1", "o2"] {
            let response = try await lane.sell(order, 30_00)
            #expect(response.outcome == .approved)
            #expect(response.entryMode == .contactlessStripe)
            #expect(response.receipt.text(for: .cardholder).contains("Contactless magnetic stripe"))
        }
        let request = try #require(lane.host.requests.last)
        #expect(lane.host.requests.count == 2)
        #expect(request.chipData == nil)
        guard case .captured(let card) = request.card else {
            Issue.record("the card was not captured")
            return
        }
        #expect(card.entryMode.rawValue == "91")
        #expect(card.track2 != nil)
        // The same track once more, from whoever saw it.
        let again = try await lane.bench.host.authorize(
            AuthorizationRequest(
                orderID: OrderID("o3"), amount: request.amount, timestamp: request.timestamp,
                terminalID: request.terminalID,
                card: .captured(card)))
        #expect(again.issuer.responseCode == "88")
    }

    @Test("The second start of a till sells: its virtual card begins again", arguments: System.allCases)
    func secondStart(_ system: System) async throws {
        let first = try await Lane(system)
        for order in ["a1", "a2", "a3"] { #expect(try await first.sell(order, 30_00).outcome == .approved) }
        let second = try await Lane(system, at: first.bench)
        for order in ["b1", "b2", "b3", "b4", "b5", "b6"] {
            #expect(try await second.sell(order, 30_00).outcome == .approved)
        }
    }

    /// The code of a track does not cover all of it: one digit changed, an old one would look new.
    @Test("A track never begins again", arguments: [System.visa, .mastercard]) func secondStartOfTracks(
        _ system: System
    ) async throws {
        let first = try await Lane(system, magstripe: true)
        for order in ["a1", "a2"] { #expect(try await first.sell(order, 30_00).outcome == .approved) }
        let second = try await Lane(system, magstripe: true, at: first.bench)
        for order in ["b1", "b2"] { #expect(try await second.sell(order, 30_00).responseCode == "88") }
    }

    // MARK: Refunds and secure cards

    @Test(
        "A refund is for the issuer to decide, and above the limit wants the cardholder's PIN, as a sale does",
        arguments: System.allCases)
    func refund(_ system: System) async throws {
        let lane = try await Lane(system, pin: "1234")
        var pins: [Bool] = []
        for (order, amount) in [("r1", 5_00), ("r2", 60_00)] as [(String, Int64)] {
            let response = try await lane.terminal.processRefund(
                Refund(
                    orderID: OrderID(order), amount: Money(minorUnits: amount, currency: .euro), target: .card(.reader))
            )
            #expect(response.outcome == .approved)
            #expect(response.entryMode == .contactlessChip)
            let request = try #require(lane.host.requests.last)
            #expect(request.purpose == .refund)
            if case .captured(let card) = request.card { pins.append(card.pin != nil) }
        }
        #expect(pins == [false, true])
        #expect(lane.host.requests.count == 2)
    }

    @Test(
        "A card is registered by a tap alone, verified by its issuer with 0.00, and its token pays",
        arguments: System.allCases)
    func secureCard(_ system: System) async throws {
        let lane = try await Lane(system)
        let saved = try await lane.terminal.registerSecureCard(
            SecureCard(merchantReference: MerchantReference("customer-7")))
        let token = try #require(saved.secureCardReference)
        let lastDigits = String(decoding: system.profile.account.pan.revealed().suffix(4), as: UTF8.self)
        #expect(
            lane.host.requests.map(\.purpose) == [.accountVerification] && lane.host.requests[0].amount.minorUnits == 0)
        let sale = Sale(
            orderID: OrderID("o1"), amount: Money(minorUnits: 12_34, currency: .euro), source: .secureCard(token))
        let response = try await lane.terminal.processSale(sale)
        #expect(response.outcome == .approved)
        #expect(response.card?.maskedPAN.hasSuffix(lastDigits) == true)
    }

    // MARK: The issuer's update

    /// EMV Contactless Book C-3, 5.9; the ARPC is the test issuer's, by the key of the card's
    /// cryptogram.
    @Test("The issuer's answer reaches the card at a second tap: ARPC, then a script that blocks the application")
    func issuerUpdate() async throws {
        var profile = System.visa.profile
        if case .visa(var visa) = profile.contactless {
            visa.qualifiers = .issuerUpdateProcessing
            profile.contactless = .visa(visa)
        }
        let lane = try await Lane(.visa, profile) { $0.qualifiers?.insert(.issuerUpdateProcessing) }
        #expect(try await lane.sell("o1", 30_00).outcome == .approved)
        #expect(lane.exchanges.last(2) == ["00A40400 9000", "00820000 9000"])
        lane.queue.add(IssuerScript(.afterFinalCryptogram, [.applicationBlock]), for: profile.account.pan)
        #expect(try await lane.sell("o2", 30_00).outcome == .approved)
        #expect(lane.exchanges.last(2) == ["00820000 9000", "841E0000 9000"])
        // The blocked application is not selected any more.
        await #expect(throws: TerminalError.self) { try await lane.sell("o3", 30_00) }
        #expect(try await lane.bench.orders().count == 2)
    }
}

extension CardProfile {
    fileprivate static func visaStyle(_ contactless: VisaContactlessProfile) -> CardProfile {
        var profile = visaStyle()
        profile.contactless = .visa(contactless)
        profile.cryptograms = .visa18
        return profile
    }

    fileprivate static func mastercardStyle(_ contactless: MastercardContactlessProfile) -> CardProfile {
        var profile = mastercardStyle()
        profile.contactless = .mastercard(contactless)
        return profile
    }
}
