internal import Bytes
internal import CSimulation
internal import CardCapture
internal import PaymentTerminal
internal import TerminalJournal

/// The lives of the process: how each begins, and what becomes of its files when it ends.
extension Scenario {
    func boot() -> Bool {
        closeFile()
        for attempt in 0..<8 {
            // Whoever repairs the machine sees to it in the end.
            if attempt == 5 { world.isFaulty = false }
            defer { if attempt >= 5 { world.isFaulty = !isHealed } }
            let number = world.start()
            var failure = "it does not end"
            for key in keys {
                let configuration = configuration
                let made = call { [world] () async -> Result<Life, BootError> in
                    do {
                        var bytes = key
                        return .success(
                            try await Life(
                                world, number: number, key: SecretBytes(wiping: &bytes), configuration: configuration))
                    } catch {
                        return .failure(BootError(summary: "\(error)"))
                    }
                }
                switch made {
                case .success(let life)?:
                    if keys.count > 1 { keys = [key] }
                    self.life = life
                    checkAcknowledged()
                    if self.life != nil { return true }
                case .failure(let error)?:
                    failure = error.summary
                    world.note("start failed: \(failure)")
                    if failure.contains("another key") { continue }
                case nil: break
                }
                break
            }
            if !world.isFaulty || attempt == 7 {
                if !failure.isEmpty, life == nil, world.isUp, !world.isRotten {
                    world.violated(.journalClosed, failure)
                }
                if attempt == 7 { return false }
            }
            if world.isUp { kill(powerIsLost: false) }
            simulation_set_now(world.now + Self.second)
        }
        return false
    }

    struct BootError: Error {
        let summary: String
    }

    /// What the journal said is lasting must be there; what it was given and did not acknowledge
    /// may be.
    func checkAcknowledged() {
        guard let life, !world.isRotten else { return }
        let isRestored = world.shop.isRestored
        knowsStages = true
        // Who could not read every entry looks again in the next life, or when all faults have
        // ended.
        defer { if knowsStages { world.shop.isRestored = false } }
        for wish in wishes {
            let mayHaveEntry =
                world.shop.stages[wish.orderID] != nil || world.shop.written[wish.orderID]?.isEmpty == false
            guard isRestored || mayHaveEntry, !world.shop.lost.contains(wish.orderID) else { continue }
            let found = call { () async -> Result<JournalEntry.Stage?, BootError> in
                do {
                    return .success(try await life.journal.entry(for: wish.orderID)?.stage)
                } catch {
                    return .failure(BootError(summary: "\(error)"))
                }
            }
            guard case .success(let now)? = found else {
                knowsStages = false
                continue
            }
            let stage = world.shop.stages[wish.orderID]
            world.shop.stages[wish.orderID] = now
            // What was open in the copy may have ended since.
            if isRestored, let now, now != .finished { world.shop.forgotten.insert(wish.orderID) }
            guard !isRestored, let stage else { continue }
            if let now, world.shop.written[wish.orderID]?.contains(now) == true { continue }
            if (now.map(Self.rank) ?? -1) < Self.rank(stage) {
                world.violated(
                    world.marks.faults[Fault.syncLost.rawValue] == nil ? .entryLost : .entryLostAfterFailedSync,
                    "\(wish.orderID) was acknowledged as \(stage) and is \(now?.rawValue ?? "not there")")
            }
        }
    }

    static func rank(_ stage: JournalEntry.Stage) -> Int {
        switch stage {
        case .begun: 0
        case .asking: 1
        case .answered: 2
        case .owing: 3
        // The last write needs no flush where something was owed: done twice it does no harm.
        case .finished: 3
        }
    }

    // MARK: Between two lives

    /// What happens to the files while no process has them.
    func afterDeath() {
        if world.swarm.exists(.restore), world.draw(.plan, "restore", 2) == 1,
            unsafe simulation_disk_restore(Self.journal)
        {
            restored()
        }
        loseFolder()
        if world.strikes(.rot, .disk), unsafe simulation_disk_rot("\(Life.folder)/journal.sqlite") {
            world.isRotten = true
            // What a journal has forgotten only the host can refuse.
            world.host.memory = .max
        }
        if world.swarm.exists(.damagedRow), world.draw(.plan, "damage", 2) == 1 {
            let open = wishes.filter { wish in world.shop.stages[wish.orderID].map { $0 != .finished } ?? false }
            if let wish = open.first {
                world.struck(.damagedRow, wish.orderID)
                world.shop.lost.insert(wish.orderID)
                world.isFaulty = false
                _ = unsafe simulation_execute(
                    "\(Life.folder)/journal.sqlite",
                    "UPDATE entry SET content = zeroblob(64) WHERE order_id = '\(wish.orderID.text)'")
                world.isFaulty = true
            }
        }
    }

    /// Somebody replaces the disk, and there is no backup; the watermark is on another one.
    private func loseFolder() {
        guard world.strikes(.folderLost, .corners, order: world.shop.latest) else { return }
        unsafe simulation_disk_lose(Self.journal)
        restored(isLost: true)
    }

    /// - Parameter isLost: Nothing was put back.
    func restored(isLost: Bool = false) {
        world.struck(.restore)
        if !isLost { keys = keyOfBackup }
        world.shop.isRestored = true
        world.shop.wasRestored = true
        if world.strikes(.markLost, .plan) { world.marksKept = [] }
        // Without folder and mark a journal is a new one.
        if isLost, world.marksKept.isEmpty {
            world.keepsMark = false
            world.host.memory = .max
        }
        // The power took back every mark since the copy, which has the write whose mark was still
        // to come, or not; or every one of the journal whose folder is lost now.
        let known = isLost ? [marksAtStart] : [marksOfBackup.written, marksOfBackup.withThoseToCome]
        marksAtStart = world.marksWritten
        if let last = world.marksKept.last,
            known.contains(where: { marks in
                world.marksWritten > marks && last.number <= marks
            })
        {
            world.keepsMark = false
            world.host.memory = .max
        }
        // Somebody goes and gets the copy. What is on its way to the host arrives meanwhile.
        let end = world.now + Int64(120 + world.draw(.plan, "restore takes", 4) * 3600) * Self.second
        while world.loop.step(until: end) { world.trace.step() }
        simulation_set_now(max(world.now, end))
        for wish in wishes where !isKept(wish.orderID) { world.shop.forgotten.insert(wish.orderID) }
    }

    /// Whether the terminal can know an order again after the restore: from the copy, if it was
    /// finished there, or from the host's list.
    func isKept(_ order: OrderID) -> Bool {
        // What was open at the end is not in the copy.
        if world.shop.stages[order] == .owing || world.shop.written[order]?.contains(.owing) == true { return false }
        // What another terminal, or another day, left under the id looks like what the shop has
        // forgotten.
        guard world.host.foreign[order] == nil else { return false }
        guard world.keepsMark, !isMisdated(order),
            case .success(let list) = world.host.transactions(TransactionQuery(orderID: order))
        else { return false }
        return list.records.contains { $0.amount != nil }
    }

    /// Whether a clock that was wrong by more than a day hides the order from the period that the
    /// list is asked for: its own date is too early, or those that the period begins with are too
    /// late.
    private func isMisdated(_ order: OrderID) -> Bool {
        func isOff(_ order: ModelHost.Order, _ isWrong: (Int64, Int64) -> Bool) -> Bool {
            order.timestamp.map { isWrong($0.secondsSince1970 - World.start - order.time / Self.second, 86_400) }
                ?? false
        }
        return world.host.orders[order].map { isOff($0) { $0 < -$1 } } ?? false
            || world.host.orders.values.contains { isOff($0, >) }
    }
}
