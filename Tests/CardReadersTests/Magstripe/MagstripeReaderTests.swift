import Bytes
import CardCapture
import CardCryptography
import EMVKernel
import MagneticStripe
import Synchronization
import Testing

/// A stripe reader as a reader of cards: what of a swipe reaches the terminal.
@Suite(.serialized) struct MagstripeReaderTests {
    private static let tracks = "%B4761739001010119^DOE/JANE^49122010000000000?;4761739001010119=49122010000000000?"
    private let request = CaptureRequest(amount: 10_00, currencyCode: 978, sequenceCounter: 1)

    private func swipe(_ text: String) -> Result<CapturedSwipe, CaptureError> {
        .success(CapturedSwipe(tracks: Swipe(text: text)))
    }

    private func approved(_ card: CapturedCard) -> IssuerAnswer { .answered(IssuerAnswer.Answer(responseCode: "00")) }

    @Test("A swipe in plain text is a payment by magnetic stripe") func clearSwipe() async throws {
        let outcome = try await MagstripeReader(slot: QueueSlot(swipe(Self.tracks))).capture(request) { card in
            #expect(card.entryMode == .magneticStripe)
            return approved(card)
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        #expect(!outcome.requiresReversal)
        let card = try #require(outcome.card)
        #expect(card.pan == SecretBytes("4761739001010119".utf8))
        #expect(card.expiry == "4912")
        #expect(card.cardholderName == "DOE/JANE")
        #expect(card.track2 == SecretBytes("4761739001010119=49122010000000000".utf8))
        #expect(card.track1 == SecretBytes("B4761739001010119^DOE/JANE^49122010000000000".utf8))
        #expect(card.maskedPAN == "476173******0119")
    }

    @Test func track1AloneWillDo() async throws {
        let outcome = try await MagstripeReader(slot: QueueSlot(swipe("%B4761739001010119^DOE/JANE^4912201?;E?")))
            .capture(
                request, authorize: approved)
        #expect(outcome.card?.pan == SecretBytes("4761739001010119".utf8))
        #expect(outcome.card?.track2 == nil)
    }

    @Test(arguments: [("05", CaptureOutcome.Decision.declinedOnline), ("00", .approvedOnline), ("10", .declinedOnline)])
    func theIssuerDecides(_ code: String, _ decision: CaptureOutcome.Decision) async throws {
        let outcome = try await MagstripeReader(slot: QueueSlot(swipe(Self.tracks))).capture(request) { _ in
            .answered(IssuerAnswer.Answer(responseCode: code))
        }
        #expect(outcome.decision == decision)
        #expect(outcome.requiresSignature == (decision == .approvedOnline))
    }

    @Test func withoutTheHostAStripeIsDeclined() async throws {
        let outcome = try await MagstripeReader(slot: QueueSlot(swipe(Self.tracks))).capture(request) { _ in
            .unreachable
        }
        #expect(outcome.decision == .declinedOffline)
    }

    @Test func fallbackIsMarked() async throws {
        let fallback = Fallback(.technical, entryMode: .stripeAfterChip)
        let reader = MagstripeReader(slot: QueueSlot(swipe(Self.tracks)), after: fallback, asksForChip: true)
        #expect(try await reader.capture(request, authorize: approved).card?.entryMode == .stripeFallback)
    }

    @Test("Service code 201 has a chip, 101 has none (ISO/IEC 7813)") func chipGoesFirst() async throws {
        let chip = MagstripeReader(slot: QueueSlot(swipe(Self.tracks)), asksForChip: true)
        let refused = try await chip.capture(request) { _ in
            Issue.record("the host was asked")
            return .unreachable
        }
        #expect(refused.decision == .notPossible(.stripe(.chip)))
        let plain = MagstripeReader(slot: QueueSlot(swipe(";4761739001010119=49121010000000000?")), asksForChip: true)
        #expect(try await plain.capture(request, authorize: approved).decision == .approvedOnline)
    }

    @Test("Tracks with different numbers make no payment") func contradictingTracks() async throws {
        let forged = "%B4761739001010119^DOE/JANE^4912201?;4761739001010010=4912201?"
        let outcome = try await MagstripeReader(slot: QueueSlot(swipe(forged))).capture(request, authorize: approved)
        #expect(outcome.decision == .notPossible(.stripe(.contradiction)))
        #expect(outcome.card == nil)
    }

    @Test func noPaymentCard() async throws {
        let outcome = try await MagstripeReader(slot: QueueSlot(swipe(";123?"))).capture(request, authorize: approved)
        #expect(outcome.decision == .notPossible(.stripe(.notPaymentCard)))
    }

    @Test func unreadableSwipesAreRepeated() async throws {
        let bad = swipe("%E?;E?")
        let second = MagstripeReader(slot: QueueSlot(bad, bad, swipe(Self.tracks)))
        #expect(try await second.capture(request, authorize: approved).decision == .approvedOnline)
        let never = MagstripeReader(slot: QueueSlot(bad, bad, bad, swipe(Self.tracks)))
        #expect(
            try await never.capture(request, authorize: approved).decision == .notPossible(.stripe(.unreadable))
        )
    }

    @Test("Without keys the ciphertext goes on as it is, and nothing is made up in the number's place")
    func encipheredWithoutKeys()
        async throws
    {
        var tracks = try MagTekSample.encrypted()
        tracks.masked = [.two: ";5452********7189=0804*************?", .one: "%B5452********7189^HOGAN/PAUL^0804***?"]
        let asked = Mutex<EncryptedTracks?>(nil)
        let reader = MagstripeReader(slot: QueueSlot(.success(CapturedSwipe(encrypted: tracks))))
        let outcome = try await reader.capture(request) { card in
            asked.withLock { $0 = card.encryptedTracks }
            return approved(card)
        }
        #expect(asked.withLock { $0 } == tracks)
        let card = try #require(outcome.card)
        #expect(card.pan == nil)
        #expect(card.track2 == nil)
        #expect(card.maskedPAN == "5452********7189")
        #expect(card.expiry == "0804")
        #expect(card.cardholderName == "HOGAN/PAUL")
        #expect("\(card)" == "magneticStripe, 5452********7189")
    }

    @Test func encipheredWithNothingShown() async throws {
        let reader = MagstripeReader(slot: QueueSlot(.success(CapturedSwipe(encrypted: try MagTekSample.encrypted()))))
        let card = try #require(try await reader.capture(request, authorize: approved).card)
        #expect(card.maskedPAN.isEmpty)
        #expect(card.expiry == nil)
        #expect(card.cardholderName == nil)
        #expect("\(card)" == "magneticStripe")
    }

    @Test func encipheredWithKeys() async throws {
        let slot = QueueSlot(.success(CapturedSwipe(encrypted: try MagTekSample.encrypted())))
        let reader = MagstripeReader(slot: slot, decryption: SwipeDecryption([.tdesBase(try MagTekSample.baseKey())]))
        let card = try #require(try await reader.capture(request, authorize: approved).card)
        #expect(card.pan.map { digest($0.revealed()) } == MagTekSample.panDigest)
        #expect(card.encryptedTracks == nil)
    }

    @Test func wrongKeysAreSaid() async throws {
        let slot = QueueSlot(.success(CapturedSwipe(encrypted: try MagTekSample.encrypted())))
        let other = try TDESKey(SecretBytes([UInt8](repeating: 0x31, count: 16)))
        let reader = MagstripeReader(slot: slot, decryption: SwipeDecryption([.tdesBase(other)]))
        await #expect(throws: CaptureError.swipeDecryption(.wrongKey)) {
            _ = try await reader.capture(request, authorize: approved)
        }
    }

    @Test(
        "The cardholder is asked for the stripe in the terminal's language",
        arguments: [([], "PLEASE SWIPE CARD"), (["pl"], "PRZECIĄGNIJ KARTĘ")])
    func prompts(_ languages: [String], _ invitation: String) async throws {
        let slot = QueueSlot(swipe("%E?;E?"), swipe(Self.tracks))
        let reader = MagstripeReader(slot: slot, languages: languages.compactMap { Language($0) })
        let events = slot.events.stream()
        #expect(try await reader.capture(request, authorize: approved).decision == .approvedOnline)
        slot.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        guard case .prompt([invitation], let step?) = received.first else {
            Issue.record("no invitation: \(received)")
            return
        }
        #expect(step.instruction == .swipeCard)
        let again = try #require(received.firstIndex(of: .instruction(.swipeAgain)))
        guard case .prompt(let lines, _) = received[again + 1] else {
            Issue.record("no text for the second swipe")
            return
        }
        #expect(lines != [invitation])
    }

    @Test func whatTheSlotThrowsComesThrough() async throws {
        let reader = MagstripeReader(slot: QueueSlot(.failure(.cancelled)))
        await #expect(throws: CaptureError.cancelled) { _ = try await reader.capture(request, authorize: approved) }
    }

    /// A reader may show fewer digits than six and four, never more come through, and of a short
    /// number four.
    @Test(arguments: [
        (";4761739001010119=4912201?", "476173******0119"), (";4***********0119=****?", "4***********0119"),
        (";****************=****?", nil), (";?", nil), (";47617390=4912201?", "****7390"),
        (";476173900101=4912201?", "********0101"),
        (";4761739001010=4912201?", "476173***1010"),
    ])
    func neverMoreThanSixAndFour(_ masked: String, _ shown: String?) throws {
        var tracks = try MagTekSample.encrypted()
        tracks.masked = [.two: masked]
        #expect(tracks.maskedPAN == shown)
    }
}
