internal import Bytes
internal import CSimulation
internal import CardCapture
internal import PaymentTerminal

/// What must be true in the end of what was told, of the journal and of the host.
extension Scenario {
    /// Whether the clocks of terminal and gateway were too far apart for an order of the gateway's
    /// list to be recognized. It may be an older one with the same id.
    func isMisdated(_ response: PaymentResponse) -> Bool {
        guard let taken = world.host.orders[response.orderID]?.timestamp else { return false }
        let difference = taken.secondsSince1970 - response.timestamp.secondsSince1970
        return difference.magnitude > 300
    }

    func judge(_ terminal: Terminal) {
        let journaled = call { try? await terminal.journaled(1000) } ?? nil
        for wish in wishes where wish.kind != .reversal {
            let order = wish.orderID
            guard !world.shop.lost.contains(order) else { continue }
            let isHeld = world.host.holdsMoney(of: order)
            judgeCharges(order)
            guard !isExcused(order) else { continue }
            judgeReplies(wish, isHeld)
            let entry = journaled?.first { $0.orderID == order }
            guard journaled != nil else { continue }
            // Without the extensions some things cannot be found out.
            let isReferenced = wish.kind == .refund || wish.kind == .capture
            let mayBeUnknown =
                !world.host.hasList || world.shop.mayStayUnknown.contains(order)
                || !world.host.hasExtensions && isReferenced
                || entry.map { isMisdated($0) } ?? false
            switch entry?.outcome {
            case .approved, .partiallyApproved:
                if !isHeld { world.violated(.journalDisagrees, "\(order) is approved, not held") }
                compare(order, "the journal has", entry?.authorizedAmount?.minorUnits ?? 0)
            case .declined, .reversed:
                if isHeld { world.violated(.journalDisagrees, "\(order) is not approved, and held") }
            case .unknown: if !mayBeUnknown { world.violated(.stuck, "\(order) stays unknown") }
            case .storedOffline: world.violated(.stuck, "\(order) stays stored")
            case nil:
                if isHeld { world.violated(.journalDisagrees, "\(order) is held, and the journal has no outcome") }
            }
            let asked = call { try? await terminal.outcome(of: order).outcome } ?? nil
            if asked != entry?.outcome {
                world.violated(
                    .journalDisagrees, "\(order) is listed as \(entry?.outcome as Any), and told as \(asked as Any)")
            }
        }
        for text in Cards.all {
            let digits = Array(text.utf8)
            let isThere = unsafe digits.withUnsafeBytes { unsafe simulation_disk_contains($0.baseAddress, $0.count) }
            // As text, and as a chip has it.
            let packed = BCD.encode(digits: digits) ?? digits
            let isPacked = unsafe packed.withUnsafeBytes { unsafe simulation_disk_contains($0.baseAddress, $0.count) }
            if isThere || isPacked { world.violated(.cardDataInClear, "a card number lies on the disk") }
        }
    }

    func judgeCharges(_ order: OrderID) {
        // A refund without an order id is not known again by the host, nor by a journal that has
        // lost it.
        let isLostRefund =
            !world.host.hasExtensions && world.host.isReferenced(order) && world.shop.forgotten.contains(order)
        if world.host.charges(of: order) > 1, !isLostRefund { world.violated(.chargedTwice, "\(order)") }
    }

    /// Whether nobody can claim anything of the order.
    func isExcused(_ order: OrderID) -> Bool {
        world.shop.lost.contains(order) || world.shop.voided.contains(order) || world.shop.forgotten.contains(order)
            || world.shop.takenIn.contains(order)
    }

    /// Compares what the shop knows with what the host has.
    func judgeReplies(_ wish: Wish, _ isHeld: Bool) {
        let order = wish.orderID
        let attempts = world.shop.replies[wish.number] ?? []
        let mayBeWrong: Set<TerminalError.Code> = [.busy, .hostFailed(.noAnswer), .idempotencyConflict]
        var onlyErrors = !attempts.isEmpty
        for (number, reply) in attempts.enumerated() {
            switch reply {
            case .response, .nothing: onlyErrors = false
            case .error(let code):
                if mayBeWrong.contains(code) && code != .busy || code == .refused(.orderAlreadyProcessed) && number > 0
                {
                    onlyErrors = false
                }
            }
        }
        if onlyErrors, isHeld {
            world.violated(.errorButHeld, "\(order): only errors were reported, and the host has the money")
        }
        if world.shop.cancelled.contains(wish.number), onlyErrors, isHeld {
            world.violated(.cancelledButHeld, "\(order): cancel() said cancelled")
        }
        // What the host does not reverse stands, and so does what a journal has from the host's
        // list.
        if world.shop.known[order] == .partiallyApproved, !world.shop.wasRestored,
            !world.shop.mayStayUnknown.contains(order),
            !wishes.contains(where: { $0.orderID == order && $0.allowsPartialApproval })
        {
            world.violated(.partNotAllowed, "\(order)")
        }
        switch world.shop.known[order] {
        case .approved, .partiallyApproved:
            if !isHeld { world.violated(.approvedNotHeld, "\(order)") }
            for sum in (world.shop.sums[order] ?? []).sorted() { compare(order, "the caller was told", sum) }
            judgeCard(order)
        case .declined, .reversed: if isHeld { world.violated(.refusedButHeld, "\(order)") }
        case .storedOffline, .unknown, nil: break
        }
    }

    /// Whoever was told that a payment is approved must have a card that had the answer and agreed,
    /// unless the host no longer reverses it. A journal that was put back has an order from the
    /// host's list, which does not know what the card said.
    private func judgeCard(_ order: OrderID) {
        guard !world.shop.mayStayUnknown.contains(order), !world.shop.wasRestored else { return }
        if world.shop.awaitingCard.contains(order) {
            world.violated(.approvedWithoutCard, "\(order): the card never had the answer")
        }
        switch world.shop.cardsWord[order] {
        case .declinedOnline, .declinedOffline: world.violated(.approvedAgainstCard, "\(order): the card declined")
        case .approvedOnline, .approvedOffline, .notPossible, nil: break
        }
    }

    /// Compares a sum with the host's books, to the cent.
    private func compare(_ order: OrderID, _ source: String, _ sum: Int64) {
        let held = world.host.books.held(of: order.text)
        guard held != sum else { return }
        world.violated(.booksDisagree, "\(order): \(source) \(sum), and the books have \(held)")
    }
}
