internal import Bytes
internal import CSimulation
internal import CardCapture
internal import PaymentTerminal
internal import TerminalJournal

/// What happens beside an operation.
extension Scenario {
    func play(_ side: Wish.Side, _ wish: Wish, life: Life, task: Task<Void, Never>) {
        world.note("meanwhile: \(side.rawValue)")
        switch side {
        case .cancelTask:
            world.struck(.cancelledTask)
            task.cancel()
        case .cancelCall:
            world.struck(.cancelCall)
            Task.detached { [world] in
                let running = world.shop.running.first?.number
                let answer = await life.terminal.cancel()
                world.note("cancel: \(answer.rawValue)")
                if answer == .cancelled, running == wish.number { world.shop.cancelled.insert(wish.number) }
            }
        case .rotateKey: rotateKey(life)
        case .recover: Task.detached { _ = try? await life.terminal.recoverPending() }
        case .jumpClock:
            world.struck(.clockJump)
            world.clockOffset += Int64(world.draw(.plan, "clock", 20_000)) - 10_000
        case .backUp: _ = backUp()
        case .readFile:
            world.struck(.fileReader)
            if unsafe fileReader == nil { unsafe fileReader = simulation_read_file("\(Life.folder)/journal.sqlite") }
        case .die:
            world.struck(.death)
            kill(powerIsLost: false)
        case .losePower:
            world.struck(.restart)
            kill(powerIsLost: true)
        case .secondTerminal: connectSecondTerminal(life)
        case .useAddress:
            world.struck(.addressAgain)
            Task.detached { await life.useAddressAgain() }
        case .purge: purge(life)
        case .startNext:
            guard let next = wishes.first(where: { $0.number > wish.number && $0.kind != .reversal }) else { return }
            _ = begin(next, life)
        }
    }

    /// - Returns: False while the journal's key changes.
    private func backUp() -> Bool {
        guard keys.count == 1 else { return false }
        unsafe simulation_disk_back_up(Self.journal)
        keyOfBackup = keys
        marksOfBackup = (written: world.marksWritten, withThoseToCome: world.marksWritten + world.marksToCome)
        return true
    }

    func closeFile() {
        if let reader = unsafe fileReader { unsafe simulation_close_file(reader) }
        unsafe fileReader = nil
    }

    func rotateKey(_ life: Life) {
        guard keys.count == 1 else { return }
        world.struck(.keyRotation)
        // Payments that come meanwhile wait for it, and it waits for whoever reads the file.
        for run in world.shop.running { world.shop.disturbed.insert(run.orderID) }
        let new = Self.key(Int(keys[0][0]) + 1)
        keys.append(new)
        Task.detached { [self] in
            var bytes = new
            do {
                try await life.journal.rotate(to: JournalKey.bytes(SecretBytes(wiping: &bytes)))
                keys = [new]
                world.note("the key has changed")
            } catch {
                world.note("the key has not changed: \(error)")
            }
        }
    }

    // MARK: Corners

    /// Copies the journal before a payment is reversed: the copy will have it as approved.
    func copyJournal(before wish: Wish) -> Bool {
        guard wish.kind == .reversal, world.shop.known[wish.orderID].map(Shop.isApproved) ?? false,
            world.strikes(.undoneSinceCopy, .corners, order: wish.orderID)
        else { return false }
        return backUp()
    }

    /// Says an answered payment again with another amount: its key has answered another request.
    func sayOtherwise(_ wish: Wish) {
        guard let life, wish.kind == .keyedSale, wish.key != nil, var sale = wish.sale,
            world.shop.concluded.contains(wish.orderID),
            case .response? = world.shop.replies[wish.number]?.last, !world.shop.wasRestored, !world.isRotten,
            !world.shop.lost.contains(wish.orderID), world.strikes(.keyReused, .corners, order: wish.orderID)
        else { return }
        sale.amount = Money(minorUnits: wish.amount.minorUnits + 1, currency: wish.amount.currency)
        let reply = call { [sale] () async -> PaymentResponse? in try? await life.terminal.processSale(sale) }
        guard reply??.orderID != nil else { return }
        world.violated(.answerOfAnother, "\(wish.orderID) with another amount gets the answer of the first one")
    }

    /// The journal is copied while it has a payment as stored. The host records the payment and has
    /// forgotten its order id hours later, when the copy is put back, and does not say how it ended.
    func forgetStored(_ wish: Wish) {
        let order = wish.orderID
        guard life != nil, world.bench == nil, world.shop.known[order] == .storedOffline, !world.isRotten,
            world.strikes(.storedSinceCopy, .corners, order: order), backUp(), pass(4000 * Self.second) == .done
        else { return }
        world.refusesToTell.insert(order)
        world.shop.mayStayUnknown.insert(order)
        putBackCopy()
        if boot() { _ = pass(900 * Self.second) }
    }

    /// The copy takes the place of the journal.
    func putBackCopy() {
        if life != nil { kill(powerIsLost: false) }
        if unsafe simulation_disk_restore(Self.journal) { restored() }
    }

    /// The application has old entries deleted: none of this run, whatever the clocks say.
    private func purge(_ life: Life) {
        world.struck(.purge)
        let days = [30, 550][Int(world.draw(.corners, "purged", 2))]
        Task.detached { [world] in
            let count = try? await life.terminal.purgeJournal(keepingDays: days)
            world.note("purged: \(count.map(String.init) ?? "failed")")
        }
    }

    /// The process ends in good order: it closes its journal first.
    func closeInOrder(after wish: Wish) {
        guard let life, world.strikes(.closed, .corners, order: wish.orderID) else { return }
        let isClosed = call { (try? life.journal.close()) != nil } ?? false
        world.note("the journal is \(isClosed ? "closed" : "not closed")")
        guard self.life === life else { return }
        kill(powerIsLost: false)
        afterDeath()
    }

    /// Another terminal sells at the same host: under an id of its own, or under the one that the
    /// shop is about to use.
    func letOthersSell(beside wish: Wish) {
        guard world.host.hasList, world.bench == nil, world.strikes(.otherTerminal, .corners, order: wish.orderID)
        else { return }
        let usesSameID = wish.kind != .reversal && world.draw(.corners, "the same id", 4) == 3
        let delay = Int64(world.draw(.corners, "other after", 300)) * Self.second / 10
        world.others += 1
        let name = "N\(world.others)"
        if usesSameID { world.shop.mayStayUnknown.insert(wish.orderID) }
        world.loop.after(delay, "another terminal sells") { [world] in
            if !usesSameID {
                world.keepOrderOfOther(name, wish)
            } else if world.host.orders[wish.orderID] == nil, world.host.foreign[wish.orderID] == nil {
                world.keepForeignOrder(wish, isNew: true)
            }
        }
    }

    /// Another terminal of the same process on the same journal, which looks after open orders as
    /// each does at its start.
    private func connectSecondTerminal(_ life: Life) {
        world.struck(.secondTerminal)
        let opensFolder = world.draw(.corners, "opens the folder", 2) == 1
        let key = keys[0]
        life.secondTerminals += 1
        Task.detached { [world] in
            defer { life.secondTerminals -= 1 }
            do {
                if opensFolder {
                    var bytes = key
                    _ = try await life.secondJournal(SecretBytes(wiping: &bytes))
                    world.violated(.openedTwice, "the journal's folder has two writers")
                } else {
                    try await life.secondTerminal().recoverPending()
                    world.note("a second terminal works on the journal")
                }
            } catch {
                world.note("a second terminal is refused: \(error)")
            }
        }
    }

    /// A clock whose battery is empty begins in 2000, and one that somebody sets by hand may come
    /// to 2099.
    func turnClock(before wish: Wish) {
        world.shop.kinds[wish.orderID] = wish.kind
        guard world.strikes(.clockByYears, .corners, order: wish.orderID) else { return }
        let times: [Int64] = [World.start, 946_684_800, 4_070_908_800]
        let time = times[Int(world.draw(.corners, "year", UInt64(times.count)))]
        world.clockOffset = time - World.start
        world.note("the terminal's clock is \(world.clockOffset / 86_400) days off")
    }

    /// Days in which nothing is sold, and the terminal makes its rounds. With orders that are open
    /// it would ask for them all the time.
    func letDaysPass(after wish: Wish) {
        guard life != nil, world.shop.stages.values.allSatisfy({ $0 == .finished }),
            world.strikes(.days, .corners, order: wish.orderID)
        else { return }
        _ = pass(Int64(1 + world.draw(.corners, "days", 3)) * 86_400 * Self.second + 120 * Self.second)
    }
}
