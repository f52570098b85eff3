import Contactless
import EMVKernel
import Testing

@testable import CardCapture

/// Which side has the transaction, without readers, tasks and time.
@Suite struct CardRaceTests {
    private static let limits = CardRace.Limits(card: .seconds(60), chip: .seconds(20), standDown: .seconds(5))
    private static let card = CapturedCard(entryMode: .magneticStripe, pan: nil, expiry: nil)

    private static func started(_ chips: Set<CardRace.ChipInterface> = [.contact], hasStripe: Bool = true) -> CardRace {
        var race = CardRace(chips: chips, hasStripe: hasStripe, limits: limits)
        _ = race.start()
        return race
    }

    private static func chipOutcome(_ fallback: Fallback? = nil) -> CaptureOutcome {
        var outcome = CaptureOutcome(decision: .declinedOnline, card: nil)
        outcome.fallback = fallback
        return outcome
    }

    @Test("both sides and the timer start; a stripe reader alone has no chip to start") func start() {
        var both = CardRace(chips: [.contact], hasStripe: true, limits: Self.limits)
        #expect(
            both.start() == [
                .startChip(.contact, after: .zero), .startStripe(after: .zero), .startTimer(1, .seconds(60)),
            ])
        var stripe = CardRace(chips: [], hasStripe: true, limits: Self.limits)
        #expect(stripe.start() == [.startStripe(after: .zero), .startTimer(1, .seconds(60))])
    }

    @Test("a swipe wins if no other interface has, and the race waits for the chip to stand down") func swipeWins() {
        var race = Self.started()
        #expect(race.take(.swiped(.success(Self.card))) == [.stopChip(.contact), .startTimer(2, .seconds(5))])
        #expect(race.end == nil)
        #expect(race.take(.chipEnded(.contact, .failure(.cancelled))).isEmpty)
        guard case .stripe = race.end else {
            Issue.record("\(String(describing: race.end))")
            return
        }
    }

    @Test("a chip that is too late is not let at the host") func tooLate() {
        var race = Self.started()
        _ = race.take(.swiped(.success(Self.card)))
        let raceIsLate = !race.takeForHost(.contact)
        #expect(raceIsLate)
        var cancelled = Self.started()
        _ = cancelled.take(.cancelled)
        let cancelledIsLate = !cancelled.takeForHost(.contact)
        #expect(cancelledIsLate)
        var timedOut = Self.started()
        _ = timedOut.take(.timeUp(timer: 1))
        let timedOutIsLate = !timedOut.takeForHost(.contact)
        #expect(timedOutIsLate)
    }

    @Test("a card in the chip reader stops the stripe; taken out again, it gives the stripe back") func comesAndGoes() {
        var race = Self.started()
        #expect(race.take(.chipCame(.contact)) == [.stopStripe, .startTimer(2, .seconds(20))])
        // The swipe that was cancelled on the way out is not used.
        #expect(race.take(.stripeReaderFailed(.cancelled)).isEmpty)
        #expect(race.take(.chipWent(.contact)) == [.startTimer(3, .seconds(60)), .startStripe(after: .zero)])
        #expect(race.take(.timeUp(timer: 2)).isEmpty, "a timer that was replaced")
    }

    @Test("a swipe beside a card in the chip reader charges no card") func swipeBesideChip() {
        var race = Self.started()
        _ = race.take(.chipCame(.contact))
        #expect(race.take(.swiped(.success(Self.card))).isEmpty)
        let isFree = race.takeForHost(.contact)
        #expect(race.end == nil)
        #expect(isFree)
    }

    @Test("once the chip has asked the host, neither time nor removal nor a swipe ends it") func atTheHost() {
        var race = Self.started()
        let isFirst = race.takeForHost(.contact)
        #expect(isFirst)
        #expect(race.take(.chipCame(.contact)) == [.stopStripe, .stopTimer])
        #expect(race.take(.chipWent(.contact)).isEmpty)
        #expect(race.take(.timeUp(timer: 1)).isEmpty)
        #expect(race.take(.swiped(.success(Self.card))).isEmpty)
        #expect(race.take(.cancelled) == [.stopChip(.contact)])
        #expect(race.end == nil)
        _ = race.take(
            .chipEnded(.contact, .success(Self.chipOutcome(Fallback(.technical, entryMode: .stripeAfterChip)))))
        guard case .chip(.success(let outcome)) = race.end else {
            Issue.record("\(String(describing: race.end))")
            return
        }
        #expect(outcome.fallback == nil, "a second question to the host would be a second payment")
    }

    @Test("a chip reader that gives up by itself starts again after a pause") func givesUp() {
        var race = Self.started()
        #expect(
            race.take(.chipEnded(.contact, .failure(.noCardPresented))) == [
                .startChip(.contact, after: .milliseconds(100))
            ])
        #expect(race.end == nil)
    }

    @Test("a stripe that cannot be read is tried again twice, then it is the outcome") func misread() {
        var race = Self.started([])
        for _ in 1..<MagstripeReader.maximumSwipes {
            let actions = race.take(.swiped(.failure(.unreadable)))
            #expect(actions.last == .startStripe(after: .zero))
            #expect(actions.count == 2)
        }
        _ = race.take(.swiped(.failure(.unreadable)))
        guard case .fault(.unreadable) = race.end else {
            Issue.record("\(String(describing: race.end))")
            return
        }
    }

    @Test("a broken stripe reader leaves the chip; without a chip it is the end") func broken() {
        var race = Self.started()
        #expect(
            race.take(.stripeReaderFailed(.readerTimedOut)) == [
                .ask(.init(instruction: .insertCard, reason: .stripeReaderFails))
            ])
        _ = race.take(.chipCame(.contact))
        #expect(race.take(.chipWent(.contact)) == [.startTimer(3, .seconds(60))], "it is not started again")
        var stripe = Self.started([])
        _ = stripe.take(.stripeReaderFailed(.readerTimedOut))
        guard case .failed(.readerTimedOut) = stripe.end else {
            Issue.record("\(String(describing: stripe.end))")
            return
        }
    }

    @Test("a swipe that cannot be decrypted is the end, with a chip reader too") func notDecrypted() {
        var race = Self.started()
        #expect(
            race.take(.swipeFailed(.swipeDecryption(.wrongKey))) == [.stopChip(.contact), .startTimer(2, .seconds(5))])
        _ = race.take(.chipEnded(.contact, .failure(.cancelled)))
        guard case .failed(.swipeDecryption(.wrongKey)) = race.end else {
            Issue.record("another end")
            return
        }
    }

    @Test("time is up: no card, or a chip that did not come to an end") func timeUp() {
        var empty = Self.started([])
        #expect(empty.take(.timeUp(timer: 1)) == [.stopStripe, .startTimer(2, .seconds(5))])
        // The stripe reader does not stand down: its time is up, too.
        _ = empty.take(.timeUp(timer: 2))
        guard case .failed(.noCardPresented) = empty.end else {
            Issue.record("another end")
            return
        }
        var stuck = Self.started()
        _ = stuck.take(.chipCame(.contact))
        #expect(stuck.take(.timeUp(timer: 2)) == [.stopChip(.contact), .stopStripe, .startTimer(3, .seconds(5))])
        _ = stuck.take(.timeUp(timer: 3))
        guard case .failed(.readerTimedOut) = stuck.end else {
            Issue.record("another end")
            return
        }
    }

    // MARK: Contacts, field and stripe

    @Test("all interfaces wait at once") func threeInterfaces() {
        var race = CardRace(chips: [.contact, .contactless], hasStripe: true, limits: Self.limits)
        #expect(
            race.start() == [
                .startChip(.contact, after: .zero), .startChip(.contactless, after: .zero), .startStripe(after: .zero),
                .startTimer(1, .seconds(60)),
            ])
    }

    @Test("a tap stops the contacts and the stripe; an inserted card stops the field") func firstChip() {
        var tapped = Self.started([.contact, .contactless])
        #expect(
            tapped.take(.chipCame(.contactless)) == [.stopChip(.contact), .stopStripe, .startTimer(2, .seconds(20))])
        #expect(tapped.take(.chipCame(.contact)).isEmpty, "the second card is too late")
        let isRefused = !tapped.takeForHost(.contact)
        #expect(isRefused)
        #expect(tapped.take(.chipEnded(.contact, .failure(.cancelled))).isEmpty, "it was stopped")
        let isLetIn = tapped.takeForHost(.contactless)
        #expect(isLetIn)
        var inserted = Self.started([.contact, .contactless])
        #expect(
            inserted.take(.chipCame(.contact)) == [.stopChip(.contactless), .stopStripe, .startTimer(2, .seconds(20))])
    }

    @Test("two cards at once: the host hears of one, and the outcome is that one's") func twoChips() {
        var race = Self.started([.contact, .contactless])
        let isFirst = race.takeForHost(.contactless)
        let isSecond = race.takeForHost(.contact)
        #expect(isFirst)
        #expect(!isSecond)
        // The card in the contacts approves by itself meanwhile: nobody books that.
        let approved = CaptureOutcome(decision: .approvedOffline, card: Self.card)
        #expect(race.take(.chipEnded(.contact, .success(approved))).isEmpty)
        _ = race.take(.stripeReaderFailed(.cancelled))
        _ = race.take(.chipEnded(.contactless, .success(Self.chipOutcome())))
        _ = race.take(.chipEnded(.contact, .failure(.cancelled)))
        guard case .chip(.success(let outcome)) = race.end else {
            Issue.record("\(String(describing: race.end))")
            return
        }
        #expect(outcome.decision == .declinedOnline)
    }

    @Test("a card that is taken out again gives field and stripe back") func takenOut() {
        var race = Self.started([.contact, .contactless])
        _ = race.take(.chipCame(.contact))
        _ = race.take(.chipEnded(.contactless, .failure(.cancelled)))
        #expect(
            race.take(.chipWent(.contact)) == [.startTimer(3, .seconds(60)), .startChip(.contactless, after: .zero)],
            "the stripe reader has not stood down yet")
        // A reader that stands down late starts again.
        #expect(race.take(.stripeReaderFailed(.cancelled)) == [.startStripe(after: .milliseconds(100))])
        var late = Self.started([.contact, .contactless])
        _ = late.take(.chipCame(.contact))
        _ = late.take(.chipWent(.contact))
        #expect(
            late.take(.chipEnded(.contactless, .failure(.cancelled))) == [
                .startChip(.contactless, after: .milliseconds(100))
            ])
    }

    /// A PIN pad's cancel key, in a device with a kernel of its own.
    @Test("a chip that ends with a cancellation by the cardholder ends the payment") func cancelledAtTheDevice() {
        var race = Self.started([.contact, .contactless])
        #expect(
            race.take(.chipEnded(.contact, .failure(.cancelled))) == [
                .stopChip(.contactless), .stopStripe, .startTimer(2, .seconds(5)),
            ])
    }

    @Test("a tap that asks for the contacts leaves the payment to the other interfaces") func anotherInterface() {
        var race = Self.started([.contact, .contactless])
        _ = race.take(.chipCame(.contactless))
        _ = race.take(.chipEnded(.contact, .failure(.cancelled)))
        var tapped = CaptureOutcome(decision: .notPossible(.tapNotPossible), card: nil)
        tapped.asksForContacts = true
        #expect(
            race.take(.chipEnded(.contactless, .success(tapped))) == [
                .ask(.init(instruction: .insertOrSwipeCard, reason: .notByTap)), .startChip(.contact, after: .zero),
                .startTimer(3, .seconds(60)),
            ])
        #expect(race.end == nil)
        // The card is inserted and taken out again: the field stays off.
        _ = race.take(.chipCame(.contact))
        _ = race.take(.stripeReaderFailed(.cancelled))
        #expect(race.take(.chipWent(.contact)) == [.startTimer(5, .seconds(60)), .startStripe(after: .zero)])
    }

    @Test("what follows is asked for in the language of the card that was read, and of no card in the terminal's")
    func language() {
        var race = Self.started([.contact, .contactless])
        #expect(
            race.take(.swiped(.failure(.unreadable))).first
                == .ask(.init(instruction: .swipeAgain, reason: .stripeUnreadable)))
        var tapped = CaptureOutcome(decision: .notPossible(.tapNotPossible), card: nil)
        tapped.asksForContacts = true
        tapped.language = .french
        let asked = race.take(.chipEnded(.contactless, .success(tapped)))
        #expect(asked.first == .ask(.init(instruction: .insertOrSwipeCard, reason: .notByTap, language: .french)))
        let again = race.take(.swiped(.failure(.chip)))
        #expect(again.first == .ask(.init(instruction: .insertSwipedCard, reason: .stripeOfChip, language: .french)))
        // A chip that could not be read has told nothing: the stripe in its place is asked for as
        // the tap was answered.
        _ = race.take(
            .chipEnded(.contact, .success(CaptureOutcome(decision: .notPossible(.tapNotPossible), card: nil))))
        _ = race.take(.swipeFailed(.cancelled))
        guard case .chip(.success(let outcome)) = race.end else {
            Issue.record("\(String(describing: race.end))")
            return
        }
        #expect(outcome.language == .french)
    }

    @Test("a card that is held to a field that is off stops no other card") func staysInTheField() {
        var race = Self.started([.contact, .contactless])
        var outcome = CaptureOutcome(decision: .notPossible(.tapNotPossible), card: nil)
        outcome.asksForContacts = true
        _ = race.take(.chipEnded(.contactless, .success(outcome)))
        #expect(race.take(.chipCame(.contactless)).isEmpty)
        #expect(race.take(.chipCame(.contact)) == [.stopStripe, .startTimer(3, .seconds(20))])
    }

    @Test("after the host was asked, a tap has its outcome even if it asks for another interface")
    func notAfterTheHost() {
        var race = Self.started([.contact, .contactless], hasStripe: false)
        let isFirst = race.takeForHost(.contactless)
        #expect(isFirst)
        var tapped = Self.chipOutcome()
        tapped.asksForContacts = true
        #expect(
            race.take(.chipEnded(.contactless, .success(tapped))) == [.stopChip(.contact), .startTimer(2, .seconds(5))])
    }

    @Test("a tap alone that asks for the contacts is an outcome") func noOtherInterface() {
        var race = Self.started([.contactless], hasStripe: false)
        var tapped = CaptureOutcome(decision: .notPossible(.tapNotPossible), card: nil)
        tapped.asksForContacts = true
        _ = race.take(.chipEnded(.contactless, .success(tapped)))
        guard case .chip(.success(let outcome)) = race.end else {
            Issue.record("\(String(describing: race.end))")
            return
        }
        #expect(outcome.decision == .notPossible(.tapNotPossible))
    }

    @Test("a card that stays in the field does not end the wait at the other interfaces") func cardNotRemoved() {
        var race = Self.started([.contact, .contactless])
        #expect(
            race.take(.chipEnded(.contactless, .failure(.cardNotRemoved))) == [
                .startChip(.contactless, after: .milliseconds(100))
            ])
        #expect(race.end == nil)
        // Alone, the field has nothing else to wait for.
        var alone = Self.started([.contactless], hasStripe: false)
        _ = alone.take(.chipEnded(.contactless, .failure(.cardNotRemoved)))
        guard case .chip(.failure(.cardNotRemoved)) = alone.end else {
            Issue.record("\(String(describing: alone.end))")
            return
        }
    }

    @Test("a broken field leaves contacts and stripe") func brokenField() {
        var race = Self.started([.contact, .contactless])
        #expect(
            race.take(.chipEnded(.contactless, .failure(.readerTimedOut))) == [
                .ask(.init(instruction: .insertOrSwipeCard, reason: .fieldFails))
            ])
        #expect(race.end == nil)
        var stripe = Self.started([.contactless])
        #expect(
            stripe.take(.chipEnded(.contactless, .failure(.readerTimedOut))) == [
                .ask(.init(instruction: .swipeCard, reason: .fieldFails))
            ])
    }
}
