import Bytes
import DeviceIO
import EMVKernel
import ReaderDoubles
import SmartCard
import TLV
import Testing

@testable import CardCapture
@testable import CardReaders

/// The card is a published test card of the payment systems; templates and tags are those of
/// Miura's published library.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MiuraReaderTests {
    private static let chip = "E104 4802 0300 9000"

    private let request = CaptureRequest(amount: 12_34, currencyCode: 826, sequenceCounter: 1)

    private static func template(_ tag: String, _ contents: String) throws -> String {
        let bytes = try [UInt8](hex: contents)
        return tag + UInt8(bytes.count).hex + bytes.hex + "9000"
    }

    private static let card = "5A084761739001010119 57104761739001010119D49122010000000F 5F2403491231 5F340101"

    private static func onlineAnswer() throws -> String {
        try template("E4", card + "9F270180 4F07A0000000031010 9F34031E0300")
    }

    private func pad(
        _ misbehavior: EmulatedMiura.Misbehavior? = nil, start: String? = nil, proceed: String? = nil
    ) throws -> EmulatedMiura {
        try EmulatedMiura(
            misbehavior, card: Self.chip, start: start ?? Self.onlineAnswer(),
            proceed: proceed ?? Self.template("E3", "9F270140"))
    }

    @Test(
        "a transaction goes online and ends with the issuer's answer",
        arguments: [nil, EmulatedMiura.Misbehavior.chains, .dribbles])
    func online(_ misbehavior: EmulatedMiura.Misbehavior?) async throws {
        let pad = try pad(misbehavior)
        let reader = try pad.reader()
        let events = reader.events.stream()
        let outcome = try await reader.capture(request) { card in
            #expect(card.pan == SecretBytes("4761739001010119".utf8))
            #expect(card.expiry == "4912")
            #expect(card.panSequenceNumber == 1)
            #expect(card.entryMode == .chip)
            #expect(card.chip?.elements[.cryptogramInformationData] == [0x80])
            #expect(card.chip?.elements.contains(.applicationPAN) == false)
            return .answered(.init(responseCode: "00", issuerAuthenticationData: [1, 2, 3, 4, 5, 6, 7, 8]))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        #expect(!outcome.requiresReversal)
        #expect(outcome.card?.chip?.elements[.cryptogramInformationData] == [0x40])
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(
            received.prefix(2) == [.connected, .prompt(["Present, insert", "or swipe card"])] || misbehavior == .chains)
        #expect(!received.contains(.cardRemoved(.contact)))
        #expect(received.contains(.cardPresented(.contact)))
        #expect(received.contains(.pinProgress(digits: 3)))
        #expect(pad.commands.first == [0xD0, 0x00, 0x00, 0x00])
    }

    @Test("the decision of the PIN pad decides the outcome") func decisions() async throws {
        let offline = try await pad(start: Self.template("E3", Self.card + "9F270140")).reader().capture(request) { _ in
            .unreachable
        }
        #expect(offline.decision == .approvedOffline)
        #expect(offline.card?.pan == SecretBytes("4761739001010119".utf8))
        // Nobody could settle it.
        let cardless = try await pad(start: Self.template("E3", "9F270140")).reader().capture(request) { _ in
            .unreachable
        }
        #expect(cardless.decision == .notPossible(.noCardData))
        // The PIN pad approves what the issuer declined, or could not be asked for.
        let disobeyed = try await pad().reader().capture(request) { _ in .answered(.init(responseCode: "05")) }
        #expect(disobeyed.decision == .declinedOnline)
        #expect(!disobeyed.requiresReversal)
        let alone = try await pad().reader().capture(request) { _ in .unreachable }
        #expect(alone.decision == .approvedOffline)
        // Honour with identification.
        let identified = try await pad().reader().capture(request) { _ in .answered(.init(responseCode: "08")) }
        #expect(identified.decision == .approvedOnline)
        let declined = try await pad(start: Self.template("E5", "9F270100")).reader().capture(request) { _ in
            .unreachable
        }
        #expect(declined.decision == .declinedOffline)
        let refused = try await pad(proceed: Self.template("E5", "9F270100")).reader().capture(request) { _ in
            .answered(.init(responseCode: "05"))
        }
        #expect(refused.decision == .declinedOnline)
        #expect(!refused.requiresReversal)
        // The card declines what the host approved.
        let reversed = try await pad(proceed: Self.template("E5", "9F270100")).reader().capture(request) { _ in
            .answered(.init(responseCode: "00"))
        }
        #expect(reversed.decision == .declinedOnline)
        #expect(reversed.requiresReversal)
        let unreachable = try await pad(proceed: Self.template("E5", "9F270100")).reader().capture(request) { _ in
            .unreachable
        }
        #expect(unreachable.decision == .declinedOffline)
        #expect(!unreachable.requiresReversal)
    }

    @Test("failures of the PIN pad become outcomes") func failures() async throws {
        let errors: [(String, CaptureError)] = [
            ("9F23", .cardRemoved), ("9F41", .cancelled),
            ("9F26", .readerFailed(.driver(MiuraFailure.notReady))),
        ]
        for (status, expected) in errors {
            let reader = try pad(start: status).reader()
            await #expect(throws: expected) { try await reader.capture(request) { _ in .unreachable } }
        }
        let fallback = try await pad(start: "9F30").reader().capture(request) { _ in .unreachable }
        #expect(fallback.decision == .notPossible(.reader(.readerFailed(.driver(MiuraFailure(status: 0x9F30))))))
        #expect(fallback.fallback?.reason == .technical)
        let none = try await pad(start: "9F25").reader().capture(request) { _ in .unreachable }
        #expect(none.fallback == nil)
        // After the host has approved, a failure is a reversal and not an error.
        let late = try await pad(proceed: "9F22").reader().capture(request) { _ in .answered(.init(responseCode: "00"))
        }
        #expect(late.requiresReversal)
        let mute = try await EmulatedMiura(card: "E104 4802 0100 9000").reader().capture(request) { _ in .unreachable }
        #expect(mute.fallback == Fallback(.technical, entryMode: .stripeAfterChip))
    }

    @Test("What cannot be understood leaves no transaction behind in the PIN pad") func answerWithoutSense()
        async throws
    {
        let pad = try pad(start: "E4059000")
        let outcome = try await pad.reader().capture(request) { _ in .unreachable }
        #expect(outcome.decision == .notPossible(.reader(.readerFailed(.invalidAnswer))))
        while pad.commands.last != [0xD0, 0xFF, 0x00, 0x00] { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// BCD n 12 holds no more (EMV 4.4 Book 3, annex A, tag 9F02), and an approval of the PIN pad's
    /// own is none where the issuer was to be asked.
    @Test func requestsThatThePINPadCannotCarryOut() async throws {
        let long = CaptureRequest(amount: 1_000_000_000_000, currencyCode: 826, sequenceCounter: 1)
        await #expect(throws: CaptureError.amountTooLong) {
            try await pad().reader().capture(long) { _ in .unreachable }
        }
        var forced = request
        forced.forcesOnline = true
        let outcome = try await pad(start: Self.template("E3", Self.card + "9F270140")).reader().capture(forced) { _ in
            .unreachable
        }
        #expect(
            outcome.decision == .notPossible(.approvedOffline))
        let online = try await pad().reader().capture(forced) { _ in .answered(.init(responseCode: "00")) }
        #expect(online.decision == .approvedOnline)
    }

    /// While it waits for a card, other operations are refused at once, and closing it ends the
    /// wait.
    @Test func oneUseAtATime() async throws {
        let pad = try EmulatedMiura(card: nil)
        let reader = try pad.reader()
        let task = Task { try await reader.capture(request) { _ in .unreachable } }
        while !pad.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: DeviceClaim.captureRefusal) { try await reader.battery() }
        await #expect(throws: DeviceClaim.captureRefusal) { try await reader.capture(request) { _ in .unreachable } }
        await reader.close()
        await #expect(throws: CaptureError.cancelled) { try await task.value }
        #expect(try await reader.battery() == .charging(percent: 0x57))
        #expect(pad.port.connections == 2)
    }

    /// The values of `ChargingStatus` in Miura's published library.
    @Test(
        "A22: the battery is discharging, charging or unknown",
        arguments: [
            ("E10A DFA2090100 DFA20A0164 9000", BatteryState.discharging(percent: 100)),
            ("E10A DFA2090101 DFA20A0103 9000", .charging(percent: 3)),
            ("E10A DFA2090102 DFA20A0164 9000", .charging(percent: 100)),
            ("E10A DFA20901F0 DFA20A0132 9000", .unknown), ("E10A DFA20901F1 DFA20A0132 9000", .unknown),
            ("E10A DFA2090100 DFA20A0165 9000", .unknown), ("E105 DFA2090100 9000", .unknown),
            ("E105 DFA20A0132 9000", .discharging(percent: 50)),
            ("9000", .unknown), ("E10A DFA2 9000", .unknown),
        ])
    func battery(answer: String, state: BatteryState) async throws {
        #expect(try await EmulatedMiura(card: nil, battery: answer).reader().battery() == state)
    }

    /// Answers to RESET DEVICE as the comments of Miura's published library have them
    /// (`resetDevice`): of RPI 1-2, and of RPI 1-1, which gives the version of its second part as a
    /// name.
    @Test(
        "E1: maker, serial number and software are known after the first connection",
        arguments: [
            (
                "E130 9F1E083034303030323033 EF11DF0D084D3130302D525049DF7F03312D32 EF10DF0D074D3130302D4F53DF7F03312D36 9000",
                "M100-RPI 1-2, M100-OS 1-6"
            ),
            (
                "E130 9F1E083034303030323033 EF11DF0D084D3130302D525049DF7F03312D31 EF10DF0D074D3130302D4F53DF0D03312D36 9000",
                "M100-RPI 1-1, M100-OS 1-6"
            ),
        ])
    func identity(reset: String, firmware: String) async throws {
        let reader = try EmulatedMiura(card: nil, reset: reset).reader()
        #expect(reader.identity == nil)
        _ = try await reader.battery()
        #expect(reader.identity == ReaderIdentity(maker: "Miura", serialNumber: "04000203", firmware: firmware))
    }

    @Test("a PIN pad that says nothing of itself works", arguments: ["9000", "E1059F1E08303430 9000", "E100 9000"])
    func withoutIdentity(reset: String) async throws {
        let reader = try EmulatedMiura(card: nil, reset: reset).reader()
        #expect(try await reader.battery() == .charging(percent: 0x57))
        #expect(reader.identity?.serialNumber == nil)
        #expect(reader.identity?.firmware == nil)
    }

    @Test("A22: a refused question for the battery is an error") func batteryRefused() async throws {
        await #expect(throws: CaptureError.self) {
            try await EmulatedMiura(card: nil, battery: "9F22").reader().battery()
        }
    }

    @Test func encipheringPINPad() async throws {
        let reader = try pad(start: Self.template("E4", "9F270180 DFAE0204AABBCCDD DFAE030AFFFF9876543210E00008"))
            .reader()
        await #expect(throws: CaptureError.readerFailed(.cardDataEncrypted)) {
            try await reader.capture(request) { _ in .unreachable }
        }
        let stripe = try EmulatedMiura(card: "E10C 4802 0005 DFAE0204AABBCCDD 9000").reader()
        await #expect(throws: CaptureError.self) { try await stripe.capture(request) { _ in .unreachable } }
    }

    /// `;4761739001010119=49121010000000000?`, whose service code names no chip, in tag 5F22.
    @Test("a stripe is captured from the clear track 2") func stripe() async throws {
        let track = Array(";4761739001010119=49121010000000000?".utf8)
        let message = try Self.template("E1", "48020005" + "5F22" + UInt8(track.count).hex + track.hex)
        let outcome = try await EmulatedMiura(card: message).reader().capture(request) { card in
            #expect(card.entryMode == .magneticStripe)
            #expect(card.expiry == "4912")
            #expect(card.pan == SecretBytes("4761739001010119".utf8))
            return .answered(.init(responseCode: "00"))
        }
        #expect(outcome.decision == .approvedOnline)
    }

    /// The stripe of a card with a chip is not taken: the cardholder is asked to insert it, and the
    /// wait goes on until it is cancelled.
    @Test func stripeOfAChipCard() async throws {
        let track = Array(";4761739001010119=49122010000000000?".utf8)
        let pad = try EmulatedMiura(card: Self.template("E1", "48020005" + "5F22" + UInt8(track.count).hex + track.hex))
        let reader = try pad.reader()
        var events = reader.events.stream().makeAsyncIterator()
        let task = Task { try await reader.capture(request) { _ in .unreachable } }
        var event = await events.next()
        while event != .prompt(["Insert card"]) { event = await events.next() }
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { try await task.value }
        #expect(try await reader.battery() == .charging(percent: 0x57))
    }

    /// Cancelled while it waits for a card, and in the middle of a transaction; the PIN pad gets an
    /// ABORT and works on.
    @Test("a transaction can be cancelled, and the PIN pad works on", arguments: [true, false])
    func cancelled(hasCard: Bool) async throws {
        let pad = try EmulatedMiura(card: hasCard ? Self.chip : nil)
        let reader = try pad.reader()
        for _ in 0..<3 {
            let task = Task { try await reader.capture(request) { _ in .unreachable } }
            while !pad.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
            task.cancel()
            await #expect(throws: CaptureError.cancelled) { try await task.value }
            #expect(try await reader.battery() == .charging(percent: 0x57))
        }
        #expect(pad.port.connections == 1)
        #expect(pad.commands.contains([0xD0, 0xFF, 0x00, 0x00]))
    }

    /// A task that is cancelled while the host is asked does not lose what the host says.
    @Test func cancelledWhileTheHostIsAsked() async throws {
        let reader = try pad().reader()
        let task = Task {
            try await reader.capture(request) { _ in
                while !Task.isCancelled { await Task.yield() }
                return .answered(.init(responseCode: "00"))
            }
        }
        task.cancel()
        do throws(any Error) {
            let outcome = try await task.value
            #expect(outcome.decision == .approvedOnline)
        } catch {
            // Or it was cancelled before the host was asked.
            #expect(error as? CaptureError == .cancelled)
        }
    }

    @Test(
        "malformed answers of the PIN pad become errors",
        arguments: [EmulatedMiura.Misbehavior.damages, .babbles, .silent])
    func broken(_ misbehavior: EmulatedMiura.Misbehavior) async throws {
        let pad = try pad(misbehavior)
        let reader = try pad.reader()
        for _ in 0..<2 {
            do throws(CaptureError) {
                _ = try await reader.capture(request) { _ in .unreachable }
                Issue.record("it should have failed")
            } catch {
                guard case .readerFailed = error else { throw error }
            }
        }
        #expect(pad.port.connections == 2)
    }

    /// Unplugged at every step: an error, or a reversal where the host had approved; and the next
    /// transaction works.
    @Test("unplugged at every step: an error or a reversal", arguments: 1...9)
    func unplugged(_ step: Int) async throws {
        let pad = try pad(.unplugs(step))
        let reader = try pad.reader()
        do throws(CaptureError) {
            let outcome = try await reader.capture(request) { _ in .answered(.init(responseCode: "00")) }
            #expect(outcome.requiresReversal, "\(step)")
            #expect(step == 9, "\(step)")
        } catch {
            #expect(error == .readerFailed(.driver(DeviceError.disconnected)), "\(step)")
            #expect(step < 9, "\(step)")
        }
        let again = try await reader.capture(request) { _ in .answered(.init(responseCode: "00")) }
        #expect(again.decision == .approvedOnline)
    }

    /// It goes to sleep between two transactions.
    @Test func goneBetweenTwoTransactions() async throws {
        let pad = try pad()
        let reader = try pad.reader()
        #expect(try await reader.battery() == .charging(percent: 0x57))
        pad.port.hangUp()
        let outcome = try await reader.capture(request) { _ in .answered(.init(responseCode: "00")) }
        #expect(outcome.decision == .approvedOnline)
        #expect(pad.port.connections == 2)
    }

    @Test func recordingShowsNoCard() {
        #expect(MiuraRedaction.redaction(.received, .stream, [1, 2, 3]) == [0..<3])
        #expect(MiuraRedaction.redaction(.sent, .stream, [1, 0, 4, 0xD0, 2, 0, 0, 0xD7]) == [7..<8])
        #expect(MiuraRedaction.redaction(.sent, .stream, [1, 0]).isEmpty)
    }

    // MARK: The PIN after a swipe (DE D6; answers of `processOnlinePinResult` in Miura's published
    // library)

    /// Track 2 masked as text; the driver passes on what it got.
    private static let maskedTrack = Array(";476173******0119=4912***?".utf8)
    /// Encrypted PIN block and serial number of ANSI X9.24-1:2009, annex A.4, first transaction.
    private static let pinBlock = "1B9C1845EB993A7A"
    private static let pinSerial = "FFFF9876543210E00001"

    /// The PIN pad with a swipe of `4761739001010119=4912` and the service code in tag 5F22, and
    /// its masked form in DFAE22.
    private func swipingPad(
        _ misbehavior: EmulatedMiura.Misbehavior? = nil, serviceCode: String, masked: Bool = true, pin: String?
    ) throws -> EmulatedMiura {
        let track = Array(";4761739001010119=4912\(serviceCode)0000000000?".utf8)
        let mask = masked ? "DFAE22" + UInt8(Self.maskedTrack.count).hex + Self.maskedTrack.hex : ""
        return try EmulatedMiura(
            misbehavior, card: Self.template("E1", "48020005" + "5F22" + UInt8(track.count).hex + track.hex + mask),
            pin: pin)
    }

    private static func pinAnswer() throws -> String {
        try template("E1", "DFAE0408" + pinBlock + "DFAE050A" + pinSerial)
    }

    @Test(
        "a stripe whose service code requires a PIN gets one, which goes to the issuer enciphered",
        arguments: ["100", "123", "105"])
    func pinAfterSwipe(_ serviceCode: String) async throws {
        let pad = try swipingPad(serviceCode: serviceCode, pin: Self.pinAnswer())
        let reader = try pad.reader()
        let events = reader.events.stream()
        let outcome = try await reader.capture(request) { card in
            #expect(card.entryMode == .magneticStripe)
            #expect(card.pan == SecretBytes("4761739001010119".utf8))
            #expect(card.pin?.format == .iso0)
            #expect(card.pin?.block.hex == Self.pinBlock)
            #expect(card.pin?.ksn.hex == Self.pinSerial)
            return .answered(.init(responseCode: "00"))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(!outcome.requiresSignature)
        #expect(outcome.card?.pin != nil)
        let asked = pad.commands.filter { $0.starts(with: [0xDE, 0xD6]) }.map(\.hex)
        let data = "9F0206000000001234" + "5006416D6F756E74" + "5F2A020826" + "DFAE221A" + Self.maskedTrack.hex
        #expect(asked == ["DED60100" + "36" + "E034" + data])
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received.contains(.swiped(readable: true)))
        #expect(received.contains(.pinProgress(digits: 3)))
    }

    /// ISO/IEC 7813: the other third digits require no PIN. Refunds and registrations take no
    /// money.
    @Test("without need no PIN is asked for, and the cardholder signs", arguments: ["101", "102", "104", "106", "107"])
    func withoutPIN(_ serviceCode: String) async throws {
        let pad = try swipingPad(serviceCode: serviceCode, pin: Self.pinAnswer())
        let outcome = try await pad.reader().capture(request) { card in
            #expect(card.pin == nil)
            return .answered(.init(responseCode: "00"))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        for (amount, kind) in [(UInt64(12_34), TransactionRequest.Kind.refund), (0, .purchase)] {
            let request = CaptureRequest(amount: amount, currencyCode: 826, kind: kind, sequenceCounter: 1)
            let pad = try swipingPad(serviceCode: "120", pin: Self.pinAnswer())
            #expect(
                try await pad.reader().capture(request) { _ in .answered(.init(responseCode: "00")) }.decision
                    == .approvedOnline)
            #expect(!pad.commands.contains { $0.starts(with: [0xDE, 0xD6]) })
        }
    }

    @Test(
        "a PIN that is left out, cancelled or not in time makes no payment, nor does a PIN pad without the masked track",
        arguments: [("08 9000", true), ("0C 9000", true), ("9000", false)])
    func pinLeftOut(_ answer: String, _ masked: Bool) async throws {
        let reader = try swipingPad(serviceCode: "120", masked: masked, pin: answer).reader()
        let outcome = try await reader.capture(request) { _ in
            Issue.record("the issuer must not be asked")
            return .unreachable
        }
        #expect(outcome.decision == .notPossible(.pinNotEntered))
        #expect(outcome.card?.entryMode == .magneticStripe)
    }

    @Test(
        "a PIN pad that cannot take the PIN says why",
        arguments: [
            ("9FE0", ReaderFailure.driver(MiuraFailure.noPINKey)), ("9F0F", .driver(MiuraFailure.invalidData)),
            ("6D00", .driver(MiuraFailure.other(status: 0x6D00))),
            ("0A 9000", .driver(MiuraFailure.pinEntry(code: 0x0A))),
            ("9000", .invalidAnswer), ("E10B DFAE0407112233445566779000", .invalidAnswer),
        ])
    func pinFailed(_ answer: String, _ failure: ReaderFailure) async throws {
        let reader = try swipingPad(serviceCode: "120", pin: answer).reader()
        await #expect(throws: CaptureError.readerFailed(failure)) {
            try await reader.capture(request) { _ in .unreachable }
        }
        #expect(!failure.description.isEmpty)
    }

    @Test("the entry of a PIN can be cancelled, and the PIN pad works on") func pinCancelled() async throws {
        let pad = try swipingPad(serviceCode: "120", pin: nil)
        let reader = try pad.reader()
        let task = Task { try await reader.capture(request) { _ in .unreachable } }
        while !pad.commands.contains(where: { $0.starts(with: [0xDE, 0xD6]) }) || !pad.isWaiting { await Task.yield() }
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { try await task.value }
        #expect(try await reader.battery() == .charging(percent: 0x57))
        #expect(pad.port.connections == 1)
        #expect(pad.commands.contains([0xD0, 0xFF, 0x00, 0x00]))
    }

    @Test("unplugged during the entry of a PIN, it makes no payment", arguments: [7, 8]) func pinUnplugged(_ step: Int)
        async throws
    {
        let pad = try swipingPad(.unplugs(step), serviceCode: "120", pin: Self.pinAnswer())
        let reader = try pad.reader()
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) {
            try await reader.capture(request) { _ in
                Issue.record("the issuer must not be asked")
                return .unreachable
            }
        }
        #expect(pad.commands.contains { $0.starts(with: [0xDE, 0xD6]) })
        #expect(
            try await reader.capture(request) { _ in .answered(.init(responseCode: "00")) }.decision == .approvedOnline)
    }

    // MARK: Taps (DE C1; statuses of `TransactionResponse` in Miura's published library)

    /// Track 2 of the field, and a cryptogram for the issuer.
    private static func tap(_ more: String = "") throws -> String { try template("E4", card + "9F270180" + more) }

    @Test(
        "a tap goes online and ends with the issuer's answer",
        arguments: [("", CapturedCard.EntryMode.contactlessChip), ("9F390191", .contactlessStripe)])
    func tapped(_ more: String, _ entryMode: CapturedCard.EntryMode) async throws {
        let pad = try EmulatedMiura(card: nil, proceed: Self.template("E3", "9F270140"), taps: [Self.tap(more)])
        let reader = try pad.reader()
        let outcome = try await reader.capture(request) { card in
            #expect(card.entryMode == entryMode)
            #expect(card.pan == SecretBytes("4761739001010119".utf8))
            #expect(card.chip != nil)
            return .answered(.init(responseCode: "00"))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.entryMode == entryMode)
        #expect(pad.commands.filter { $0.starts(with: [0xDE]) }.map { $0[1] } == [0xC1, 0xD2])
    }

    @Test("a card that is not for the field is inserted", arguments: ["9FC1", "9FC2", "9FC3"]) func insertInstead(
        _ status: String
    )
        async throws
    {
        let pad = try EmulatedMiura(card: nil, taps: [status])
        let reader = try pad.reader()
        var events = reader.events.stream().makeAsyncIterator()
        let task = Task { try await reader.capture(request) { _ in .unreachable } }
        var event = await events.next()
        while event != .prompt(["Insert or swipe", "card"]) { event = await events.next() }
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { try await task.value }
        #expect(pad.commands.filter { $0.starts(with: [0xDE, 0xC1]) }.count == 1)
    }

    /// 9F42: nobody came within the PIN pad's own limit; 6D00: an older PIN pad.
    @Test(
        "the field is tried again after its time limit, and is not a condition for a card in the slot",
        arguments: [["9F42", "9F42"], ["6D00"]])
    func otherEnds(_ taps: [String]) async throws {
        let pad = try EmulatedMiura(
            card: Self.chip, start: Self.onlineAnswer(), proceed: Self.template("E3", "9F270140"), taps: taps)
        if taps == ["6D00"] { pad.insertsWithoutField() }
        let outcome = try await pad.reader().capture(request) { card in
            #expect(card.entryMode == .chip)
            return .answered(.init(responseCode: "00"))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(pad.commands.filter { $0.starts(with: [0xDE, 0xC1]) }.count == (taps == ["6D00"] ? 1 : 3))
    }

    @Test("cancelled at the PIN pad, and declined in the field") func endedByTap() async throws {
        await #expect(throws: CaptureError.cancelled) {
            try await EmulatedMiura(card: nil, taps: ["9F41"]).reader().capture(request) { _ in .unreachable }
        }
        let declined = try await EmulatedMiura(card: nil, taps: [Self.template("E5", Self.card + "9F270100")]).reader()
            .capture(request) { _ in .unreachable }
        #expect(declined.decision == .declinedOffline)
        #expect(declined.card?.entryMode == .contactlessChip)
    }
}
