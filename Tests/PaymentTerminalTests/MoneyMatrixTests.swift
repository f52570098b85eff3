import CardCapture
import EMVKernel
import TLV
import Testing

@testable import PaymentTerminal

/// Every combination of host, card, cardholder and policy: what the caller is told, what the
/// journal has, and what the host holds must be one and the same.
@Suite("What is told is what is held") struct MoneyMatrixTests {
    /// What the card does after the host was asked, or could not be.
    enum Card: CaseIterable {
        case obeys
        /// Approves alone where the host cannot be asked, and obeys otherwise.
        case approvesAlone
        /// Approves without having asked.
        case approvesUnasked
        case declinesAfterwards
        case isRemoved
        case isRefusedAfterwards
    }

    enum Signing: CaseIterable {
        case none, signed, refused, late, notVerified
    }

    /// What the attendant answers to the issuer's referral.
    enum Call: CaseIterable {
        case approved, declined, late, cancelled
    }

    private struct Cell: CustomStringConvertible {
        let answer: BookHost.Answer
        /// With it the issuer refers the payment, and ``answer`` is that to the approval code.
        var call: Call?
        /// Whether the merchant reverses the payment afterwards.
        var isReversed = false
        let card: Card
        let signing: Signing
        let reversal: BookHost.Reversal
        var isRefund: Bool
        var allowsPart: Bool
        let stores: Bool
        var description: String {
            "host \(answer), card \(card), signature \(signing), reversal \(reversal)"
                + (call.map { ", call \($0)" } ?? "")
                + (isReversed ? ", reversed by the merchant" : "")
                + (isRefund ? ", refund" : "") + (allowsPart ? ", part allowed" : "") + (stores ? ", stores" : "")
        }
    }

    private static let order: OrderID = "order-1"
    private let stroke = Signature(strokes: [[.init(x: 130, y: 50), .init(x: 170, y: 50)]])

    /// The card that the device list refuses is the second one.
    private static let otherAID: [UInt8] = [0xA0, 0, 0, 0, 0x04, 0x10, 0x10]

    private func reader(_ card: Card, signs: Bool) -> FakeReader {
        FakeReader(chipCard(), asksHost: card != .approvesUnasked) { answer throws(CaptureError) in
            var decision: CaptureOutcome.Decision
            switch answer {
            case .answered(let answer):
                decision = ["00", "10"].contains(answer.responseCode) ? .approvedOnline : .declinedOnline
            case .unreachable, nil:
                decision = card == .obeys || card == .declinesAfterwards ? .declinedOffline : .approvedOffline
            }
            var captured = chipCard()
            switch card {
            case .declinesAfterwards where decision == .approvedOnline: decision = .declinedOnline
            case .isRemoved: throw .cardRemoved
            case .isRefusedAfterwards: captured.chip?.elements[.dfName] = Self.otherAID
            default: break
            }
            return CaptureOutcome(decision: decision, card: captured, requiresSignature: signs)
        }
    }

    private func configure(_ configuration: inout Terminal.Configuration, _ cell: Cell) {
        configuration.limits.transit = .zero
        configuration.limits.person = cell.signing == .late ? .milliseconds(1) : .seconds(60)
        configuration.signature = cell.signing == .none ? .onPaper : .captured(isVerified: cell.signing == .notVerified)
        configuration.callsIssuer = cell.call != nil
        configuration.limits.referral = cell.call == .late ? .milliseconds(1) : .seconds(60)
        configuration.offline.maximumCount = cell.stores ? 100 : 0
        configuration.devices = Terminal.DeviceList(
            readers: [
                .init(
                    name: "Fake reader 1",
                    refusedCards: [Terminal.DeviceList.CardKind(applicationIdentifier: Self.otherAID)].compactMap(
                        \.self))
            ])
    }

    /// Answers what the terminal asks of people.
    private func person(_ terminal: Terminal, _ signing: Signing, _ call: Call?) -> Task<Void, Never> {
        let events = terminal.eventStream()
        return Task { [stroke] in
            for await event in events {
                switch event.content {
                case .signatureRequired(let request):
                    if signing == .refused { request.decline() }
                    if signing == .signed || signing == .notVerified, let stroke { request.submit(stroke) }
                case .signatureToVerify(let request): request.answer(false)
                case .referralRequired(let request):
                    switch call {
                    case .approved?: request.submit(approvalCode: "123456")
                    case .declined?: request.decline()
                    case .cancelled?: _ = await terminal.cancel()
                    case .late?, nil: break
                    }
                default: break
                }
            }
        }
    }

    private func run(_ cell: Cell) async throws -> String? {
        let host = BookHost(cell.answer, referral: cell.call == nil ? nil : cell.answer, reversal: cell.reversal)
        let journal = MemoryJournal()
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        configuration.limits.retry = .seconds(3600)
        configure(&configuration, cell)
        let terminal = Terminal(configuration: configuration, host: host, journal: journal) { noon }
        try await terminal.connect(reader(cell.card, signs: cell.signing != .none))
        let people = person(terminal, cell.signing, cell.call)
        defer { people.cancel() }
        let amount = try euros("12.34")
        let told: PaymentResponse?
        do throws(TerminalError) {
            if cell.isRefund {
                told = try await terminal.processRefund(
                    Refund(orderID: Self.order, amount: amount, target: .card(.reader)))
            } else {
                var sale = Sale(orderID: Self.order, amount: amount)
                sale.terms.allowsPartialApproval = cell.allowsPart
                told = try await terminal.processSale(sale)
            }
        } catch {
            told = nil
        }
        guard cell.isReversed else { return try await judge(told, host, terminal, in: cell) }
        return try await reverse(told, host, terminal, in: cell)
    }

    /// What the merchant is told of a reversal, and what becomes of it.
    private func reverse(_ told: PaymentResponse?, _ host: BookHost, _ terminal: Terminal, in cell: Cell) async throws
        -> String?
    {
        if let fault = contradiction(told, host.held(Self.order) ?? 0) { return fault }
        var reversed = told
        do throws(TerminalError) {
            reversed = try await terminal.reverse(Self.order)
        } catch {
            // The payment is as it was: declined, unknown to the terminal, or standing.
            if told?.isApproved == true, cell.reversal != .refused {
                return "a reversal that is refused: \(error.message)"
            }
        }
        return try await judge(reversed, host, terminal, in: cell)
    }

    /// Heals the world, and compares.
    private func judge(_ told: PaymentResponse?, _ host: BookHost, _ terminal: Terminal, in cell: Cell) async throws
        -> String?
    {
        if let fault = contradiction(told, host.held(Self.order) ?? 0) { return fault }
        host.heal()
        for _ in 0..<8 where await !terminal.pendingPayments.isEmpty { try await terminal.recoverPending() }
        let end = try await terminal.journaled(1).first
        let held = host.held(Self.order) ?? 0
        if host.hasReversedOther { return "another order was reversed" }
        guard await terminal.pendingPayments.isEmpty else { return "still open: \(String(describing: end?.outcome))" }
        guard let told else { return held == 0 ? nil : "an error, and \(held) is held" }
        guard let end else { return "the journal has no response" }
        switch end.outcome {
        case .approved, .partiallyApproved:
            guard held == end.authorizedAmount?.minorUnits else {
                return "told \(end.authorizedAmount?.decimal ?? "nothing"), held \(held)"
            }
            guard end.outcome == .approved || cell.allowsPart || cell.reversal == .refused else {
                return "a part, which was not allowed"
            }
        case .declined, .reversed: guard held == 0 else { return "told \(end.outcome), held \(held)" }
        case .storedOffline: return "stored for ever"
        case .unknown:
            guard cell.reversal == .refused || [.oldOrder, .oldOrderLost].contains(cell.answer) else {
                return "unknown for ever"
            }
        }
        switch told.outcome {
        case .approved, .partiallyApproved, .declined:
            guard end.outcome == told.outcome else { return "\(told.outcome) became \(end.outcome)" }
        case .reversed, .storedOffline, .unknown: break
        }
        return nil
    }

    /// What must hold at the moment of the answer.
    private func contradiction(_ told: PaymentResponse?, _ held: Int64) -> String? {
        switch told?.outcome {
        case .approved?, .partiallyApproved?:
            held == told?.authorizedAmount?.minorUnits
                ? nil : "told \(told?.authorizedAmount?.decimal ?? "nothing"), held \(held)"
        case .declined?, nil: held == 0 ? nil : "told \(told.map { "\($0.outcome)" } ?? "an error"), held \(held)"
        case .reversed?: held == 0 || told?.reversal == .pending ? nil : "told reversed and performed, held \(held)"
        case .storedOffline?, .unknown?: nil
        }
    }

    /// Runs all cells, and says what they have in common that fail.
    private func run(_ cells: [Cell], _ name: String) async throws {
        var faults: [String: [Cell]] = [:]
        for cell in cells { if let fault = try await run(cell) { faults[fault, default: []].append(cell) } }
        for (fault, cells) in faults { Issue.record("\(cells.count) cells: \(fault); the first: \(cells[0])") }
        print("\(cells.count) cells of \(name)")
    }

    private func cells(_ answers: [BookHost.Answer], _ change: (Cell) -> [Cell]) -> [Cell] {
        answers.flatMap { answer in
            Card.allCases.flatMap { card in
                Signing.allCases.flatMap { signing in
                    BookHost.Reversal.allCases.flatMap { reversal in
                        [true, false].flatMap { stores in
                            change(
                                Cell(
                                    answer: answer, card: card, signing: signing, reversal: reversal, isRefund: false,
                                    allowsPart: false,
                                    stores: stores))
                        }
                    }
                }
            }
        }
    }

    @Test("Each cell of a sale, whole or in part, and of a refund to a card") func sales() async throws {
        let all = cells(BookHost.Answer.allCases.filter { $0 != .referred }) { cell in
            var (part, refund) = (cell, cell)
            part.allowsPart = true
            refund.isRefund = true
            return [cell, part, refund]
        }
        try await run(all, "sales and refunds")
    }

    @Test("Each cell of a referral") func referrals() async throws {
        let answers: [BookHost.Answer] = [
            .approved, .declined, .refused, .unreachable, .lostBefore, .approvalLost, .declineLost,
        ]
        let all = cells(answers) { cell in
            Call.allCases.map { call in
                var cell = cell
                cell.call = call
                return cell
            }
        }
        try await run(all, "referrals")
    }

    @Test("Each cell of a reversal by the merchant") func reversals() async throws {
        let answers: [BookHost.Answer] = [
            .approved, .part, .declined, .unreachable, .approvalLost, .pendingApproval, .doubled, .approvedWithOddCode,
            .otherOrder,
        ]
        let all = cells(answers) { cell in
            [true, false].map { allowsPart in
                var cell = cell
                cell.isReversed = true
                cell.allowsPart = allowsPart
                return cell
            }
        }
        try await run(all, "reversals")
    }
}
