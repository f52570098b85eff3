internal import PaymentTerminal

/// What a shop wants of its terminal, and what happens meanwhile.
struct Wish {
    enum Kind: String, CaseIterable {
        case keyedSale, readerSale, keyedPreAuthorization, readerPreAuthorization, cardRefund
        /// About an order before this one.
        case refund, capture, reversal
    }

    /// What happens beside an operation.
    enum Side: String {
        case cancelTask, cancelCall, rotateKey, recover, jumpClock, backUp, readFile, die, losePower, startNext,
            secondTerminal
        case useAddress, purge
    }

    let number: Int
    let kind: Kind
    let orderID: OrderID
    let key: IdempotencyKey?
    let amount: Money
    let allowsPartialApproval: Bool
    let forcesOnline: Bool
    let decision: ModelHost.Decision
    /// Its issuer approves a part.
    let isPartly: Bool
    /// Its key is that of an order before it.
    let reusesKey: Bool
    /// The wish that this one is about, by number.
    let original: Int?
    /// By the number of steps after the start.
    let sides: [(step: Int, side: Side)]
    /// How often it is said again where no answer came.
    let retries: Int

    /// A refund to a card, too: the card in the reader goes before the one that was keyed.
    var readsCard: Bool { kind == .readerSale || kind == .readerPreAuthorization || kind == .cardRefund }

    /// As the host records it.
    var recordKind: TransactionRecord.Kind {
        switch kind {
        case .keyedSale, .readerSale, .reversal: .sale
        case .keyedPreAuthorization, .readerPreAuthorization: .preAuthorization
        case .cardRefund, .refund: .refund
        case .capture: .capture
        }
    }

    var sale: Sale? {
        let source: Sale.Source
        switch kind {
        case .keyedSale, .keyedPreAuthorization:
            guard let card = Cards.keyed() else { return nil }
            source = .keyed(card, cvv: nil)
        case .readerSale, .readerPreAuthorization: source = .reader
        default: return nil
        }
        let isPresent = kind == .readerSale || kind == .readerPreAuthorization
        let terms = PaymentTerms(
            channel: isPresent ? .cardPresent : .eCommerce, allowsPartialApproval: allowsPartialApproval)
        let isPreAuthorization = kind == .keyedPreAuthorization || kind == .readerPreAuthorization
        guard comesAsText else {
            return Sale(
                orderID: orderID, idempotencyKey: key, amount: amount, source: source,
                isPreAuthorization: isPreAuthorization, terms: terms, forcesOnline: forcesOnline)
        }
        return try? Sale(
            orderID: orderID.text, idempotencyKey: key, amount: "\(amount)", source: source,
            isPreAuthorization: isPreAuthorization, terms: terms, forcesOnline: forcesOnline)
    }

    /// The application has order id and amount as texts.
    private var comesAsText: Bool { !number.isMultiple(of: 2) }

    func refund(_ target: Refund.Target) -> Refund? {
        guard comesAsText else {
            return Refund(orderID: orderID, idempotencyKey: key, amount: amount, target: target)
        }
        return try? Refund(orderID: orderID.text, idempotencyKey: key, amount: "\(amount)", target: target)
    }

    func capture(of original: String) -> FundsCapture? {
        guard comesAsText else {
            return FundsCapture(orderID: orderID, idempotencyKey: key, original: original, amount: amount)
        }
        return try? FundsCapture(orderID: orderID.text, idempotencyKey: key, original: original, amount: "\(amount)")
    }
}

extension Wish {
    /// The wishes of a run, as drawn.
    static func plan(_ world: World) -> [Wish] {
        let count = 1 + Int(world.draw(.plan, "wishes", 6))
        var wishes: [Wish] = []
        for number in 0..<count {
            if let wish = Wish(number, among: wishes, world) { wishes.append(wish) }
        }
        return wishes
    }

    /// An order for `number`, whose text is the same in every run.
    static func orderID(_ number: Int) -> OrderID? { try? OrderID("O\(1000 + number)") }

    init?(_ number: Int, among earlier: [Wish], _ world: World) {
        let draw = { (label: StaticString, bound: UInt64) in world.draw(.plan, label, bound) }
        let sales = earlier.filter { $0.kind == .keyedSale || $0.kind == .readerSale }
        let preAuthorizations = earlier.filter {
            $0.kind == .keyedPreAuthorization || $0.kind == .readerPreAuthorization
        }
        var kind = Kind.keyedSale
        var original: Int?
        switch draw("kind", 16) {
        case 0..<3: kind = .keyedSale
        case 3..<8: kind = .readerSale
        case 8: kind = .keyedPreAuthorization
        case 9: kind = .readerPreAuthorization
        case 10: kind = .cardRefund
        case 11, 12: if let sale = sales.last { (kind, original) = (.refund, sale.number) }
        case 13: if let wish = preAuthorizations.last { (kind, original) = (.capture, wish.number) }
        default:
            let undone = sales + preAuthorizations
            if !undone.isEmpty {
                (kind, original) = (.reversal, undone[Int(draw("undo", UInt64(undone.count)))].number)
            }
        }
        // A copy of the journal without a reversal needs one.
        if let undone = (sales + preAuthorizations).last, original == nil, world.strikesInPlan(.undoneSinceCopy) {
            (kind, original) = (.reversal, undone.number)
        }
        // What is being reversed is refunded, too, while the host does not hear of the reversal.
        if world.swarm.exists(.reversalAway), let last = earlier.last {
            if last.kind == .reversal, sales.contains(where: { $0.number == last.original }) {
                (kind, original) = (.refund, last.original)
            } else if original == nil, let sale = sales.last, world.strikesInPlan(.reversalAway) {
                (kind, original) = (.reversal, sale.number)
            }
        }
        guard let ownID = Self.orderID(number), let key = try? IdempotencyKey("K\(1000 + number)") else { return nil }
        self.number = number
        self.kind = kind
        self.original = original
        orderID = kind == .reversal ? original.flatMap { Self.orderID($0) } ?? ownID : ownID
        var ownKey = draw("key", 4) == 3 || kind == .reversal ? nil : key
        reusesKey = kind != .reversal && earlier.contains { $0.key != nil } && world.strikesInPlan(.keyReused)
        if reusesKey { ownKey = earlier.last { $0.key != nil }?.key }
        self.key = ownKey
        let originalAmount = earlier.first { $0.number == original }?.amount.minorUnits
        amount = Money(minorUnits: originalAmount ?? Int64(100 + draw("amount", 9900)), currency: .euro)
        isPartly = world.strikesInPlan(.partly)
        allowsPartialApproval = draw("partial", 4) == 3 || isPartly && world.draw(.corners, "partial", 2) == 1
        forcesOnline = draw("online", 4) == 3
        let drawn = ModelHost.Decision(rawValue: max(draw("decision", 8), 5) - 5) ?? .approve
        decision = isPartly ? .approvePart : drawn
        retries = Int(draw("retries", 3))
        var sides: [(step: Int, side: Side)] = []
        func add(_ side: Side, _ fault: Fault?, _ odds: UInt64) {
            if let fault, !world.swarm.exists(fault) { return }
            if draw("side", odds) == odds - 1 {
                sides.append((1 + Int(draw("at step", draw("early", 2) == 0 ? 60 : 400)), side))
            }
        }
        add(.cancelTask, .cancelledTask, 3)
        add(.cancelCall, .cancelCall, 3)
        add(.rotateKey, .keyRotation, 3)
        add(.jumpClock, .clockJump, 4)
        add(.backUp, .restore, 3)
        add(.readFile, .fileReader, 3)
        add(.die, .death, 3)
        add(.losePower, .restart, 3)
        add(.recover, nil, 6)
        add(.startNext, nil, 6)
        if world.strikesInPlan(.secondTerminal) {
            sides.append((1 + Int(world.draw(.corners, "at step", 200)), .secondTerminal))
        }
        for (fault, side) in [(Fault.addressAgain, Side.useAddress), (.purge, .purge)] where world.strikesInPlan(fault)
        {
            sides.append((1 + Int(world.draw(.corners, "at step", 200)), side))
        }
        self.sides = sides.sorted { $0.step < $1.step }
    }
}
