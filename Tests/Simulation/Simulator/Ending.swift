internal import Bytes
internal import CSimulation
internal import CardCapture
internal import PaymentTerminal
internal import TerminalJournal

/// The end of a run, when everything has to come right.
extension Scenario {
    func finish() {
        world.note("all faults end")
        isHealed = true
        world.isFaulty = false
        world.partitionEnd = 0
        if world.swarm.exists(.clockByYears) { world.clockOffset = 0 }
        if !cleanIsLast, life != nil { kill(powerIsLost: false) }
        if life == nil, !boot() { return }
        guard let terminal = life?.terminal else { return }
        // Of two terminals on a journal the one that came second is refused, as long as the first
        // one is there.
        for _ in 0..<40 where (life?.secondTerminals ?? 0) > 0 { if pass(30 * Self.second) == .died { break } }
        if world.isRotten {
            for wish in wishes { judgeCharges(wish.orderID) }
            return
        }
        if !knowsStages { checkAcknowledged() }
        // First with the orders of which the host still says nothing: the others must not wait for
        // them.
        if !world.shop.silenced.isEmpty {
            let others = recover(terminal) {
                !self.world.shop.silenced.contains($0) && !self.world.shop.lost.contains($0)
            }
            if !others.isEmpty {
                world.violated(
                    .heldUpByAnother, "\(others.joined(separator: " ")) wait while the host is silent about another")
            }
            world.shop.silenced = []
        }
        let open = recover(terminal) { !self.world.shop.lost.contains($0) }
        if !open.isEmpty { world.violated(.stuck, "not recovered in the end: \(open.joined(separator: " "))") }
        for wish in wishes where wish.kind != .reversal && wish.key != nil && !isExcused(wish.orderID) {
            // The host's list tells no keys: one that the shop has used twice is that of its last
            // order then.
            if world.shop.wasRestored, wishes.contains(where: { $0.key == wish.key && $0.number != wish.number }) {
                continue
            }
            repeatForKey(wish)
        }
        // Each planned cancellation has happened by then.
        _ = pass(5 * Self.second)
        probe()
        judge(terminal)
        tryOtherKey()
    }

    /// Has the terminal settle until nothing is open of what is selected, for twenty minutes at
    /// most.
    ///
    /// - Returns: What is still open then.
    func recover(_ terminal: Terminal, _ isSelected: (OrderID) -> Bool) -> [String] {
        var open: [String] = []
        for _ in 0..<40 {
            _ = call { try? await terminal.recoverPending() }
            // An order that is still looked into is not a pending payment yet.
            let unanswered = wishes.map(\.orderID).filter { [.asking, .answered].contains(world.shop.stages[$0]) }
            let found = call { await terminal.pendingPayments.map(\.orderID) } ?? []
            open = Set(found).union(unanswered).filter { isSelected($0) && !world.shop.forgotten.contains($0) }.map(
                \.text
            ).sorted()
            if open.isEmpty { break }
            if pass(30 * Self.second) == .died { break }
        }
        return open
    }

    /// Says a wish again: its key has one answer for ever.
    func repeatForKey(_ wish: Wish) {
        guard let life,
            case .response(let before)? = world.shop.replies[wish.number]?.last(where: {
                if case .response = $0 { true } else { false }
            })
        else { return }
        world.shop.running = [
            Shop.Running(number: wish.number, orderID: wish.orderID, start: world.now, readsCard: wish.readsCard)
        ]
        defer { world.shop.running = [] }
        // Answered unknown because no write went through, nothing of the request may be left: then
        // it is a new one.
        let stage = world.shop.stages[wish.orderID]
        if before.outcome == .unknown,
            stage == nil || stage == .finished && !world.shop.concluded.contains(wish.orderID)
        {
            return
        }
        let reply = call { await life.take(wish) }
        guard case .response(let now)? = reply else {
            let error: Any = if case .error(let code)? = reply { code } else { "nothing" }
            world.violated(
                .keyAnsweredTwice, "\(wish.orderID) had an answer, and its key has none in the end: \(error)")
            return
        }
        // A copy from before has the order under another date than the host, which may be another's.
        if now.outcome == .unknown, isMisdated(now) { return }
        if Shop.isApproved(before.outcome) != Shop.isApproved(now.outcome), before.outcome != .unknown,
            before.outcome != .storedOffline,
            !world.shop.undone.contains(wish.orderID), !world.shop.mayStayUnknown.contains(wish.orderID)
        {
            world.violated(.keyAnsweredTwice, "\(wish.orderID) was \(before.outcome) and is \(now.outcome)")
        }
    }

    /// A payment as on any other day.
    func probe() {
        guard let life, let order = Wish.orderID(900), let key = try? IdempotencyKey("K900"), let card = Cards.keyed()
        else { return }
        let sale = Sale(
            orderID: order, idempotencyKey: key, amount: Money(minorUnits: 100, currency: .euro),
            source: .keyed(card, cvv: nil),
            terms: PaymentTerms(channel: .eCommerce))
        world.shop.running.append(Shop.Running(number: 900, orderID: order, start: world.now, readsCard: false))
        let reply = call { () async -> Shop.Reply in
            do throws(TerminalError) {
                return .response(try await life.terminal.processSale(sale))
            } catch {
                return .error(error.code)
            }
        }
        world.shop.running = []
        switch reply {
        case .response(let response)? where response.isApproved && world.host.holdsMoney(of: order): break
        case .response(let response)?: world.violated(.stuck, "a payment on a sound day is \(response.outcome)")
        case .error(let code)?: world.violated(.stuck, "a payment on a sound day fails: \(code)")
        case .nothing?, nil: world.violated(.stuck, "a payment on a sound day does not end")
        }
    }

    /// The journal opens with no key but its own.
    func tryOtherKey() {
        guard world.draw(.plan, "other key", 8) == 7, life != nil else { return }
        kill(powerIsLost: false)
        let number = world.start()
        let configuration = configuration
        let opened = call { [world] () async -> Bool in
            var bytes = Self.key(200)
            return
                (try? await Life(world, number: number, key: SecretBytes(wiping: &bytes), configuration: configuration))
                != nil
        }
        if opened == true { world.violated(.openedByOtherKey, "") }
    }
}
