import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardModels
import CardReaders
import EMVKernel
import Foundation
import KernelDoubles
import PaymentTerminal
import SmartCard
import TLV
import TerminalFiles
import TerminalJournal
import VirtualCard

/// A terminal between a reader and the bench host, each with its file in one folder.
struct Lane {
    /// What happens, at any host.
    let scenario: Scenario
    private let mayStayUnknown: Bool
    let terminal: Terminal
    let journal: any TransactionJournal
    private let file: SQLiteJournal
    private let attendant: Attendant
    /// Past every trick of the scenario: what the host really has.
    let host: BenchHost

    private static let key = SecretBytes([UInt8](repeating: 0x5A, count: 32))
    private static let amount = Money(minorUnits: 1234, currency: .euro)
    static let reference = "crash-customer"

    /// - Parameter isCheck: The network is whole again, ten minutes have passed, and nobody stands
    ///   before the reader.
    init(folder: String, _ scenario: Scenario, doom: Doom, isCheck: Bool = false) async throws {
        let (isPublished, network) = (scenario.isPublished, scenario.network)
        mayStayUnknown = scenario.mayStayUnknown
        let scenario = scenario.kind
        self.scenario = scenario
        var profile = try Self.profile(folder)
        if scenario == .chipOffline { profile.actionCodes = IssuerActionCodes(online: [], default: []) }
        host = try BenchHost(
            folder: folder, vaultKey: Self.key,
            issuer: TestIssuer(
                profiles: [
                    IssuerProfile(
                        leadingDigits: String(decoding: profile.account.pan.revealed().prefix(6), as: UTF8.self),
                        masterKeys: profile.issuerMasterKeys, cryptogram: profile.cryptograms.version)
                ]))
        file = try await SQLiteJournal.open(folder: folder, key: JournalKey.bytes(Self.key))
        journal = DoomedJournal(journal: file, doom: doom)
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "CRASH001", currency: .euro)
        configuration.mode = .test
        configuration.limits = TimeLimits(
            host: .seconds(10), inquiry: .seconds(10), person: .seconds(1), transit: isCheck ? .zero : .seconds(300))
        configuration.offline.deferredAuthorization = [.magneticStripe]
        configuration.callsIssuer = scenario.isReferred
        if [.unsigned, .tapUnsigned].contains(scenario) { configuration.signature = .captured(isVerified: false) }
        terminal = Terminal(
            configuration: configuration,
            host: DoomedHost(
                host: isPublished ? PublishedHost(host: host) : host, doom: doom, network: isCheck ? .good : network),
            journal: journal
        ) { Timestamp(secondsSince1970: isCheck ? 1_773_058_509 : 1_773_057_909) }
        attendant = Attendant()
        await terminal.add(attendant, for: [.question])
        if let reader = try Self.reader(scenario, profile) { try await terminal.connect(reader) }
    }

    // MARK: What happens

    /// Performs the scenario, and returns the terminal's answer.
    func perform() async throws -> String {
        if scenario.changesSecureCard { return try await changeSecureCard() }
        if let before = preparation { _ = try await host.authorize(before) }
        let response = try await request()
        guard scenario == .reverse, response.isApproved else { return "\(response.outcome)" }
        return "\(try await terminal.reverse(response.orderID).outcome)"
    }

    /// Does at once what the background does a second later: at each moment of it, too, the process
    /// may die.
    func recoverPending() async throws { try await terminal.recoverPending() }

    /// Closes the journal's file, which copies the log into the database. Without it, that happens
    /// only if the last reference is released before the process ends.
    func close() throws(JournalError) { try file.close() }

    /// What has to be at the host before: the sale that is refunded, the amount that was set aside.
    private var preparation: AuthorizationRequest? {
        get {
            let orderID = OrderID("original")
            guard scenario == .refund || scenario == .capture, let card = try? Self.keyed() else {
                return nil
            }
            return AuthorizationRequest(
                orderID: orderID, purpose: scenario == .capture ? .preAuthorization : .sale, amount: Self.amount,
                timestamp: Timestamp(secondsSince1970: 1_773_057_000), terminalID: "CRASH001",
                card: .keyed(card, cvv: nil))
        }
    }

    private func request() async throws -> PaymentResponse {
        let (orderID, key) = (OrderID("order"), try IdempotencyKey("key"))
        switch scenario {
        case .refund:
            return try await terminal.processRefund(
                Refund(
                    orderID: orderID, idempotencyKey: key, amount: Self.amount,
                    target: .transaction(try await original())))
        case .unreferencedRefund:
            return try await terminal.processRefund(
                Refund(
                    orderID: orderID, idempotencyKey: key, amount: Self.amount,
                    target: .card(.keyed(Self.keyed(), cvv: nil))))
        case .capture:
            return try await terminal.capture(
                FundsCapture(orderID: orderID, idempotencyKey: key, original: try await original(), amount: Self.amount)
            )
        default:
            var sale = Sale(orderID: orderID, idempotencyKey: key, amount: saleAmount, source: try await source())
            sale.forcesOnline = ![.chipOffline, .tap, .tapUnsigned].contains(scenario)
            sale.isPreAuthorization = scenario == .preAuthorization
            if scenario == .withSecureCard {
                sale.secureCard = SecureCard(merchantReference: try MerchantReference(Self.reference))
            }
            return try await terminal.processSale(sale)
        }
    }

    private var saleAmount: Money {
        switch scenario {
        case .keyedDeclined, .chipDeclined: Money(minorUnits: 1251, currency: .euro)
        case .keyedReferred, .stripeReferred, .chipReferred: Money(minorUnits: 1202, currency: .euro)
        case .partialNotAllowed: Money(minorUnits: 1210, currency: .euro)
        default: Self.amount
        }
    }

    private func source() async throws -> Sale.Source {
        switch scenario {
        case .keyed, .keyedDeclined, .keyedReferred, .partialNotAllowed, .preAuthorization, .reverse, .withSecureCard:
            return .keyed(try Self.keyed(), cvv: SecretBytes("123".utf8))
        case .token:
            let reference = try MerchantReference(Self.reference)
            if let known = try? await host.retrieveSecureCard(reference).cardReference { return .secureCard(known) }
            let kept = try await host.registerSecureCard(
                SecureCardRegistration(merchantReference: reference, details: .init(), card: Self.keyed()))
            guard let token = kept.cardReference else { throw HostError(.internalError, "no token") }
            return .secureCard(token)
        default: return .reader
        }
    }

    private func original() async throws -> String {
        try await host.transactions(TransactionQuery(orderID: OrderID("original"))).first?.uniqueReference ?? "none"
    }

    // MARK: What it left behind

    /// What does not agree; nothing if all is well.
    func check() async throws -> [String] {
        if scenario.changesSecureCard { return try await checkSecureCard() }
        var complaints: [String] = []
        if let before = preparation, try await original() == "none" { _ = try await host.authorize(before) }
        _ = try await terminal.recoverPending()
        if await !terminal.pendingPayments.isEmpty { complaints.append("something is still in progress") }
        if try await !journal.openEntries().isEmpty { complaints.append("the journal has open entries") }
        let response: PaymentResponse?
        do {
            _ = try await request()
            _ = try await terminal.recoverPending()
            response = try await request()
        } catch {
            response = nil
            complaints.append("asked again: \(error)")
        }
        if try await !journal.openEntries().isEmpty {
            complaints.append("the journal has open entries after the request was made again")
        }
        guard let response else { return complaints }
        if response.outcome == .unknown {
            print("recovered \(response.outcome)")
            return complaints
                + (mayStayUnknown
                    ? try await standing().count > 1 ? ["money moved twice"] : [] : ["the outcome is still unknown"])
        }
        if try await request() != response { complaints.append("the same key got another answer") }
        complaints += try await compare(response)
        print("recovered \(response.outcome)")
        return complaints
    }

    /// What moved money for the scenario's order.
    private func standing() async throws -> [TransactionRecord] {
        try await host.transactions(TransactionQuery(pageSize: 100)).filter {
            $0.isStanding && $0.orderID.text != "original"
        }
    }

    /// Terminal and host against each other.
    private func compare(_ response: PaymentResponse) async throws -> [String] {
        var complaints: [String] = []
        let records = try await host.transactions(TransactionQuery(pageSize: 100))
        let standing = try await standing()
        if standing.count > 1 { complaints.append("\(standing.count) transactions stand at the host") }
        let stands = standing.first { $0.orderID == response.orderID } != nil
        if response.isApproved != stands {
            complaints.append(
                "the terminal says \(response.outcome), the host \(records.map { "\($0.orderID) \($0.state)" })")
        }
        if scenario.isReferred, response.isApproved, response.receipt.approvalCode != "4711AB" {
            complaints.append("the receipt has another approval code than the issuer gave")
        }
        if response.isApproved, standing.first?.authorizedAmount != response.authorizedAmount {
            complaints.append("terminal and host have different amounts")
        }
        if response.isApproved, response.entryMode != .chip, standing.first?.uniqueReference != response.uniqueReference
        {
            complaints.append("terminal and host call it differently")
        }
        if scenario == .chipDeclinesItself, records.first(where: { $0.orderID == response.orderID })?.state != .declined
        {
            complaints.append("the host has not heard of the card's decline")
        }
        if scenario == .refund {
            let refunded = records.first { $0.orderID.text == "original" }?.refundedAmount
            if (refunded == Self.amount) != response.isApproved {
                complaints.append("the original has \(String(describing: refunded)) refunded")
            }
        }
        return complaints
    }
}

extension TransactionRecord {
    /// Whether money moved for it and has not moved back.
    fileprivate var isStanding: Bool {
        switch state {
        case .approved, .approvedOffline, .captured, .settled: true
        case .pending, .declined, .voided, .reversed: false
        }
    }
}

// MARK: Cards

extension Lane {
    /// A published test number.
    static func keyed() throws -> CardDetails {
        guard let expiry = ExpiryDate(mmyy: "1231") else { throw CardDetailsError.expiry }
        return try CardDetails(pan: SecretBytes("5555555555554444".utf8), expiry: expiry)
    }

    /// A card without keys for data authentication, which are slow to make, and a counter that goes
    /// on from process to process.
    private static func profile(_ folder: String) throws -> CardProfile {
        var profile = CardProfile.visaStyle()
        profile.interchangeProfile = [
            .cardholderVerificationSupported, .terminalRiskManagement, .issuerAuthenticationSupported,
        ]
        let path = "\(folder)/card.atc"
        let last =
            FileManager.default.contents(atPath: path).flatMap { UInt16(String(decoding: $0, as: UTF8.self)) } ?? 0
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data("\(last + 16)".utf8).write(to: URL(filePath: path))
        profile.initialATC = last
        return profile
    }

    private static func reader(_ scenario: Scenario, _ profile: CardProfile) throws -> (any CardReader)? {
        switch scenario {
        case .stripe, .stripeReferred, .stripeStored, .unsigned: MagstripeSwipe()
        case .tap, .tapUnsigned: Tap(requiresSignature: scenario == .tapUnsigned)
        case .chip, .chipDeclined, .chipReferred, .chipOffline: try chip(VirtualCard(PersonalizedCard.make(profile)))
        case .chipDeclinesItself: try chip(AdvisingCard(VirtualCard(PersonalizedCard.make(profile))))
        case .chipRemoved: try chip(RemovedCard(VirtualCard(PersonalizedCard.make(profile))))
        default: nil
        }
    }

    private static func chip(_ card: any CardChannel) -> ChipReader {
        var merchant = TerminalConfiguration.Merchant()
        merchant.identifier = "CRASH"
        let kernel = ContactKernel(
            TerminalConfiguration(
                capabilities: [.contactChip, .noCVM, .signature], additionalCapabilities: [.goods, .codeTable1],
                countryCode: 276,
                applications: [
                    ApplicationConfiguration(
                        aid: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], versions: [0x0096, 0x008C],
                        actionCodes: ActionCodes(denial: [], online: [], default: []))
                ], caKeys: [], merchant: merchant))
        return ChipReader(
            slot: VirtualReader(card: card), kernel: kernel, cardholder: FirstChoice(),
            environment: FixedEnvironment(percentage: Int.random(in: 1...99)),
            clock: { Timestamp(secondsSince1970: 1_773_061_509) })
    }
}

/// Gets an approval code from the issuer each time.
private final class Attendant: TerminalListener {
    func onReferral(_ request: ReferralRequest, _ context: TerminalEvent.Context) async {
        request.submit(approvalCode: "4711AB")
    }
}

/// A card that is taken out when it is to hear the issuer's answer.
private struct RemovedCard: CardChannel {
    let card: any CardChannel

    init(_ card: any CardChannel) { self.card = card }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        // EXTERNAL AUTHENTICATE comes with the issuer's answer, before anything else does.
        if command.ins == 0x82 { throw .cardRemoved }
        return try await card.transmit(command)
    }
}

/// A tap of a published test number, by a device that approves alone where the host does not
/// answer.
private struct Tap: CardReader {
    let name = "Contactless reader"
    let capabilities: ReaderCapabilities = .contactlessChip
    let events = ReaderEvents()
    let requiresSignature: Bool

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        var elements = DataElements()
        elements[.dfName] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]
        elements[.applicationCryptogram] = [1, 2, 3, 4, 5, 6, 7, 8]
        let card = CapturedCard(
            entryMode: .contactlessChip, pan: SecretBytes("4111111111111111".utf8), expiry: "3112",
            panSequenceNumber: 1,
            chip: ChipData(elements: elements))
        let decision: CaptureOutcome.Decision
        switch await authorize(card) {
        case .answered(let answer):
            decision = request.responseCodes.approves(answer.responseCode) ? .approvedOnline : .declinedOnline
        case .unreachable: decision = .approvedOffline
        }
        let isTaken = decision != .declinedOnline
        return CaptureOutcome(decision: decision, card: card, requiresSignature: requiresSignature && isTaken)
    }
}

/// A swipe of a published test number whose cardholder has to sign.
private struct MagstripeSwipe: CardReader {
    let name = "Magstripe reader"
    let capabilities: ReaderCapabilities = .magneticStripe
    let events = ReaderEvents()

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        let card = CapturedCard(
            entryMode: .magneticStripe, pan: SecretBytes("4111111111111111".utf8), expiry: "3112",
            track2: SecretBytes("4111111111111111=311212100000".utf8))
        guard case .answered(let answer) = await authorize(card) else {
            return CaptureOutcome(decision: .declinedOffline, card: card)
        }
        var isApproved = request.responseCodes.approves(answer.responseCode)
        if request.responseCodes.referral.contains(answer.responseCode),
            case .approved = await request.resolveReferral?()
        {
            isApproved = true
        }
        return CaptureOutcome(
            decision: isApproved ? .approvedOnline : .declinedOnline, card: card, requiresSignature: isApproved)
    }
}
