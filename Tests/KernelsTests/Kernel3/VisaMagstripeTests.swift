import Bytes
import CardCryptography
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing

/// Mag-stripe mode of Visa's cards (MSD), which a reader has only if it is switched on.
@Suite("Visa's mag-stripe mode") struct VisaMagstripeTests {
    private static let track = "4761739001010010D221220111438444895F"

    /// AIP 0080 and one record with track 2, in format 1.
    private func card(_ record: String? = "57" + "12" + Self.track) throws -> ScriptedCard {
        var card = ScriptedCard()
        card.answers = [("80A8", "8006" + "0080" + "08010100" + "9000")]
        if let record {
            let length = String(record.utf8.count / 2, radix: 16, uppercase: true)
            card.records[0x010C] = "70" + (length.count == 1 ? "0" : "") + length + record
        }
        return card
    }

    private func tap(_ change: (inout Tap) -> Void = { _ in }) -> Tap {
        var tap = Tap()
        tap.supportsMagstripeMode = true
        change(&tap)
        return tap
    }

    @Test("TTQ byte 1 bit 8 is offered only if it is switched on") func qualifiers() throws {
        #expect(try tap().run(card()).data(of: "80A8")?.hasPrefix("8321" + "B6004000") == true)
        #expect(try Tap().run(card()).data(of: "80A8")?.hasPrefix("8321" + "36004000") == true)
    }

    @Test("The track goes to the issuer as that of a stripe, without a cryptogram") func online() throws {
        let run = try tap().run(card())
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(run.outcome.data?.card[.track2DataContactless]?.hex == Self.track)
        #expect(run.outcome.data?.card.contains(.applicationCryptogram) == false)
        #expect(run.sent.count == 4)
        #expect(run.shown.contains { $0.message == .cardReadRemove })
    }

    @Test("The same in format 2, with the track in the processing options") func formatTwo() throws {
        let card = ScriptedCard().with([
            (.applicationInterchangeProfile, "0080"), (.track2EquivalentData, Self.track),
            (.applicationCryptogram, nil),
            (.issuerApplicationData, nil), (.cryptogramInformationData, nil), (.applicationTransactionCounter, nil),
            (.panSequenceNumber, nil),
        ])
        let outcome = try tap().run(card).outcome
        #expect(outcome.status == .onlineRequest)
        #expect(outcome.data?.card[.track2DataContactless]?.hex == Self.track)
    }

    /// Without the switch neither format has what qVSDC requires.
    @Test("A reader without it ends the tap") func switchedOff() throws {
        #expect(try Tap().run(card()).outcome.reason == .termination(.missingData(.applicationCryptogram)))
        let second = ScriptedCard().with([(.applicationInterchangeProfile, "0080"), (.applicationCryptogram, nil)])
        #expect(try Tap().run(second).outcome.status == .endApplication)
    }

    /// A card of qVSDC whose AIP an attacker changed keeps its cryptogram; one without the bit is
    /// not read by its track.
    @Test("A cryptogram, or a missing bit, is for qVSDC") func otherwise() throws {
        let both = try tap().run(ScriptedCard().with([(.applicationInterchangeProfile, "0080")]))
        #expect(both.outcome.status == .onlineRequest)
        #expect(both.outcome.data?.card.contains(.track2DataContactless) == false)
        #expect(both.outcome.data?.card.contains(.applicationCryptogram) == true)
        var neither = try card()
        neither.answers = [("80A8", "8006" + "0000" + "08010100" + "9000")]
        #expect(try tap().run(neither).outcome.status == .endApplication)
    }

    @Test(
        "A card of qVSDC is read as before",
        arguments: [("80", ContactlessOutcome.Status.onlineRequest), ("00", .declined)])
    func qualifiedCards(_ information: String, _ status: ContactlessOutcome.Status) throws {
        let run = try tap().run(ScriptedCard().with([(.cryptogramInformationData, information)]))
        #expect(run.outcome.status == status)
        #expect(run.outcome.data?.card.contains(.track2DataContactless) == false)
    }

    @Test(
        "Track 2 is mandatory, well-formed, and of the card's number",
        arguments: [
            (nil, ContactlessReason.termination(.commandFailed(.readRecord, .recordNotFound))),
            ("5F2403221231", .termination(.missingData(.track2EquivalentData))),
            ("5703476173", .termination(.invalidData(.track2EquivalentData))),
            ("5A084111111111111111" + "5712" + Self.track, .termination(.invalidData(.applicationPAN))),
        ])
    func mandatory(_ record: String?, _ reason: ContactlessReason) throws {
        let outcome = try tap().run(card(record)).outcome
        #expect(outcome.status == .endApplication)
        #expect(outcome.reason == reason)
    }

    @Test("Without a line nothing is approved", arguments: [true, false]) func offlineOnly(_ isInTTQ: Bool) throws {
        let outcome = try tap {
            if isInTTQ { $0.qualifiers.insert(.offlineOnlyReader) } else { $0.terminal.type = .attendedOfflineOnly }
        }.run(card()).outcome
        #expect(outcome.status == .declined)
        #expect(outcome.reason == .issuerNotReachable)
    }

    /// The card has no CTQ: the reader's methods decide, as for other cards without (5.7).
    private static let readers: [(TerminalTransactionQualifiers, ContactlessOutcome.Verification?)] = [
        ([.emvMode, .signature], .signature), ([.emvMode, .consumerDeviceCVM, .onlinePIN], .onlinePIN), (.emvMode, nil),
    ]

    @Test("At the limit the reader's method verifies", arguments: readers.indices) func verification(_ index: Int)
        throws
    {
        let (qualifiers, method) = Self.readers[index]
        let outcome = try tap {
            $0.qualifiers = qualifiers
            $0.limits.cvmRequiredLimit = 10_00
        }.run(card()).outcome
        #expect(outcome.verification == method)
        #expect(method == nil ? outcome.reason == .verificationNotPossible : outcome.status == .onlineRequest)
    }

    @Test("A card that leaves is presented again") func removed() throws {
        var leaving = try card()
        leaving.answers.append(("00B2", ""))
        let run = try tap().run(leaving)
        #expect(run.outcome.reason == .presentedTooOften)
        #expect(run.sent.count { $0.hasPrefix("80A8") } == 2)
    }
}
