import EMVKernel
import Testing

@testable import CardCapture

/// Which side has the transaction, without readers, tasks and time.
@Suite struct CardRaceTests {
    private static let limits = CardRace.Limits(card: .seconds(60), chip: .seconds(20), standDown: .seconds(5))
    private static let card = CapturedCard(entryMode: .magneticStripe, pan: nil, expiry: nil)

    private static func started(hasChip: Bool = true) -> CardRace {
        var race = CardRace(hasChip: hasChip, limits: limits)
        _ = race.start()
        return race
    }

    private static func chipOutcome(_ fallback: Fallback? = nil) -> CaptureOutcome {
        var outcome = CaptureOutcome(decision: .declinedOnline, card: nil)
        outcome.fallback = fallback
        return outcome
    }

    @Test("both sides and the timer start; a stripe reader alone has no chip to start") func start() {
        var both = CardRace(hasChip: true, limits: Self.limits)
        #expect(both.start() == [.startChip(after: .zero), .startStripe(after: .zero), .startTimer(1, .seconds(60))])
        var stripe = CardRace(hasChip: false, limits: Self.limits)
        #expect(stripe.start() == [.startStripe(after: .zero), .startTimer(1, .seconds(60))])
    }

    @Test("a swipe wins when nobody else has, and the race waits for the chip to stand down") func swipeWins() {
        var race = Self.started()
        #expect(race.take(.swiped(.success(Self.card))) == [.stopChip, .startTimer(2, .seconds(5))])
        #expect(race.end == nil)
        #expect(race.take(.chipEnded(.failure(.cancelled))).isEmpty)
        guard case .stripe = race.end else {
            Issue.record("\(String(describing: race.end))")
            return
        }
    }

    @Test("a chip that is too late is not let at the host") func tooLate() {
        var race = Self.started()
        _ = race.take(.swiped(.success(Self.card)))
        let raceIsLate = !race.takeForHost()
        #expect(raceIsLate)
        var cancelled = Self.started()
        _ = cancelled.take(.cancelled)
        let cancelledIsLate = !cancelled.takeForHost()
        #expect(cancelledIsLate)
        var timedOut = Self.started()
        _ = timedOut.take(.timeUp(timer: 1))
        let timedOutIsLate = !timedOut.takeForHost()
        #expect(timedOutIsLate)
    }

    @Test("a card in the chip reader stops the stripe; taken out again, it gives the stripe back") func comesAndGoes() {
        var race = Self.started()
        #expect(race.take(.chipCame) == [.stopStripe, .startTimer(2, .seconds(20))])
        // The swipe that was cancelled on the way out is not used.
        #expect(race.take(.stripeReaderFailed(.cancelled)).isEmpty)
        #expect(race.take(.chipWent) == [.startTimer(3, .seconds(60)), .startStripe(after: .zero)])
        #expect(race.take(.timeUp(timer: 2)).isEmpty, "a timer that was replaced")
    }

    @Test("a swipe beside a card in the chip reader charges nobody") func swipeBesideChip() {
        var race = Self.started()
        _ = race.take(.chipCame)
        #expect(race.take(.swiped(.success(Self.card))).isEmpty)
        let isFree = race.takeForHost()
        #expect(race.end == nil && isFree)
    }

    @Test("once the chip has asked the host, neither time nor removal nor a swipe ends it") func atTheHost() {
        var race = Self.started()
        let isFirst = race.takeForHost()
        #expect(isFirst)
        #expect(race.take(.chipCame) == [.stopStripe, .stopTimer])
        #expect(race.take(.chipWent).isEmpty)
        #expect(race.take(.timeUp(timer: 1)).isEmpty)
        #expect(race.take(.swiped(.success(Self.card))).isEmpty)
        #expect(race.take(.cancelled) == [.stopChip])
        #expect(race.end == nil)
        _ = race.take(.chipEnded(.success(Self.chipOutcome(Fallback(.technical, entryMode: .stripeAfterChip)))))
        guard case .chip(.success(let outcome)) = race.end else {
            Issue.record("\(String(describing: race.end))")
            return
        }
        #expect(outcome.fallback == nil, "a second question to the host would be a second payment")
    }

    @Test("a chip reader that gives up by itself starts again after a pause") func givesUp() {
        var race = Self.started()
        #expect(race.take(.chipEnded(.failure(.noCardPresented))) == [.startChip(after: .milliseconds(100))])
        #expect(race.end == nil)
    }

    @Test("a stripe that cannot be read is tried again twice, then it is the outcome") func misread() {
        var race = Self.started(hasChip: false)
        for _ in 1..<MagstripeReader.maximumSwipes {
            let actions = race.take(.swiped(.failure(.unreadable)))
            #expect(actions.last == .startStripe(after: .zero) && actions.count == 2)
        }
        _ = race.take(.swiped(.failure(.unreadable)))
        guard case .fault(.unreadable) = race.end else {
            Issue.record("\(String(describing: race.end))")
            return
        }
    }

    @Test("a broken stripe reader leaves the chip; without a chip it is the end") func broken() {
        var race = Self.started()
        #expect(race.take(.stripeReaderFailed(.readerTimedOut)) == [.prompt(["INSERT CARD", "the stripe reader does not work"])])
        _ = race.take(.chipCame)
        #expect(race.take(.chipWent) == [.startTimer(3, .seconds(60))], "it is not started again")
        var stripe = Self.started(hasChip: false)
        _ = stripe.take(.stripeReaderFailed(.readerTimedOut))
        guard case .failed(.readerTimedOut) = stripe.end else {
            Issue.record("\(String(describing: stripe.end))")
            return
        }
    }

    @Test("a swipe that cannot be decrypted is the end, with a chip reader too") func notDecrypted() {
        var race = Self.started()
        #expect(race.take(.swipeFailed(.swipeDecryption(.wrongKey))) == [.stopChip, .startTimer(2, .seconds(5))])
        _ = race.take(.chipEnded(.failure(.cancelled)))
        guard case .failed(.swipeDecryption(.wrongKey)) = race.end else {
            Issue.record("another end")
            return
        }
    }

    @Test("time is up: no card, or a chip that did not come to an end") func timeUp() {
        var empty = Self.started(hasChip: false)
        #expect(empty.take(.timeUp(timer: 1)) == [.stopStripe, .startTimer(2, .seconds(5))])
        // The stripe reader does not stand down: its time is up, too.
        _ = empty.take(.timeUp(timer: 2))
        guard case .failed(.noCardPresented) = empty.end else {
            Issue.record("another end")
            return
        }
        var stuck = Self.started()
        _ = stuck.take(.chipCame)
        #expect(stuck.take(.timeUp(timer: 2)) == [.stopChip, .stopStripe, .startTimer(3, .seconds(5))])
        _ = stuck.take(.timeUp(timer: 3))
        guard case .failed(.readerTimedOut) = stuck.end else {
            Issue.record("another end")
            return
        }
    }
}
