/// Waits for cards to leave the field (EMV Contactless Book D) or the contacts, and asks for it
/// (Book A, 6.2: removal timeout).
///
/// A card that stays must not be charged again by the next transaction.
struct CardRemoval {
    let slot: any CardSlot
    let timing: ContactlessReader.Timing

    /// The time between two looks.
    static let interval = Duration.milliseconds(100)
    /// How many looks in a row find no card that has left: a card at the edge of a field may miss a
    /// look, the switch of contacts does not.
    private var looks: Int { slot.capabilities.contains(.contactlessChip) ? 2 : 1 }

    /// Returns when field or contacts were empty at ``looks`` looks in a row.
    ///
    /// - Parameter ask: Called once if there is a card.
    /// - Throws: ``CaptureError/cardNotRemoved`` after ``ContactlessReader/Timing/removal``,
    ///   ``CaptureError/cancelled`` if the task is cancelled.
    func wait(asking ask: () -> Void = {}) async throws(CaptureError) {
        do throws(CaptureError) {
            try await waitUntilEmpty(ask)
        } catch {
            await slot.powerOff()
            throw error
        }
    }

    private func waitUntilEmpty(_ ask: () -> Void) async throws(CaptureError) {
        let start = timing.uptime()
        var waited = Duration.zero
        var emptyLooks = 0
        var hasAsked = false
        while true {
            if Task.isCancelled { throw .cancelled }
            emptyLooks = try await slot.isEmpty() ? emptyLooks + 1 : 0
            guard emptyLooks < looks else { return }
            if emptyLooks == 0, !hasAsked {
                ask()
                hasAsked = true
            }
            guard waited < timing.removal else { throw .cardNotRemoved }
            await timing.pause(Self.interval)
            // A look takes time too; a clock of the caller may stand still.
            waited = max(waited + Self.interval, timing.uptime() - start)
        }
    }

    /// Asks for the card's removal if it is still in the field after `timeout`; never after the
    /// task was cancelled.
    func remind(after timeout: Duration, _ ask: () -> Void) async {
        await timing.pause(timeout)
        guard !Task.isCancelled, (try? await slot.isEmpty()) == false, !Task.isCancelled else { return }
        ask()
    }
}
