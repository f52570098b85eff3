import Bytes
import DeviceIO
import MagneticStripe
import SmartCard
import Synchronization
import Testing

@testable import CardCapture
@testable import CardReaders

/// Keys by their codes in linux/input-event-codes.h, written down here a second time from its list
/// of names.
private let keys: [Character: (code: UInt16, shift: Bool)] = {
    var keys: [Character: (code: UInt16, shift: Bool)] = [
        "%": (6, true), ";": (39, false), "?": (53, true), "^": (7, true), "=": (13, false), "+": (13, true),
        "/": (53, false),
        " ": (57, false), "|": (43, true), "*": (9, true), "!": (2, true), ".": (52, false), "-": (12, false),
    ]
    for (index, digit) in "1234567890".enumerated() { keys[digit] = (UInt16(2 + index), false) }
    for (first, letters) in [(16, "qwertyuiop"), (30, "asdfghjkl"), (44, "zxcvbnm")] {
        for (index, letter) in letters.enumerated() {
            keys[letter] = (UInt16(first + index), false)
            keys[Character(letter.uppercased())] = (UInt16(first + index), true)
        }
    }
    return keys
}()
private let enter: UInt16 = 28

private func typed(_ text: String) -> [KeyEvent] {
    text.flatMap { character -> [KeyEvent] in
        if character == "⏎" { return [.pressed(enter), .released(enter)] }
        guard let key = keys[character] else { return [] }
        let stroke: [KeyEvent] = [.pressed(key.code), .released(key.code)]
        return key.shift ? [.pressed(42)] + stroke + [.released(42)] : stroke
    }
}

/// The swipe of keys that come one right after the other.
private func typedSwipe(_ events: [KeyEvent]) throws -> CapturedSwipe? {
    var text = WedgeText()
    for event in events { text.take(event) }
    return try text.finish()
}

private func typedTracks(_ events: [KeyEvent]) -> Swipe? { try? typedSwipe(events)?.tracks }

@Suite(.serialized) struct WedgeTextTests {
    private static let tracks = "%B4761739001010119^DOE/JANE^4912201?;4761739001010119=4912201?"

    @Test("Typed tracks are a swipe") func aSwipe() throws {
        let swipe = try #require(typedTracks(typed(Self.tracks) + [.pressed(enter)]))
        #expect(text(swipe.track1) == "B4761739001010119^DOE/JANE^4912201")
        #expect(text(swipe.track2) == "4761739001010119=4912201")
    }

    /// What a person types on the same device is not a swipe, and does not end up in one.
    @Test func onlyWhatHasSentinels() throws {
        #expect(try typedSwipe(typed("hello⏎")) == nil)
        #expect(try typedSwipe(typed("4761739001010119=4912201?⏎")) == nil)
        #expect(try typedSwipe(typed(";4761739001010119=4912201⏎")) == nil)
        let after = try #require(typedTracks(typed("hello" + Self.tracks) + [.pressed(96)]))
        #expect(after.track1.text != nil)
        #expect(after.track2.text != nil)
        #expect(typedTracks(typed("!hello⏎" + Self.tracks))?.track3 == .blank)
    }

    /// ID TECH 80096504, "Terminator", and MagTek's property "Post Track String" (99875206): Enter
    /// after each track.
    @Test("Enter after each track makes one swipe", arguments: ["", "+011234567890123445==97820?⏎"])
    func enterAfterEachTrack(third: String) throws {
        let swipe = try #require(
            typedTracks(typed("%B4111111111111111^TEST/A^31122010000?⏎;4111111111111111=31122010000?⏎" + third)))
        #expect(text(swipe.track1) == "B4111111111111111^TEST/A^31122010000")
        #expect(text(swipe.track2) == "4111111111111111=31122010000")
        #expect(third.isEmpty ? swipe.track3 == .blank : text(swipe.track3) == "011234567890123445==97820")
    }

    @Test("Two swipes one after the other are kept apart") func twoSwipes() throws {
        var keys = WedgeText()
        for event in typed(";4761739001010119=4912201?⏎") { keys.take(event) }
        #expect(text(try #require(try keys.finish()).tracks.track2) == "4761739001010119=4912201")
        for event in typed("%E?;E?⏎") { keys.take(event) }
        let second = try #require(try keys.finish()).tracks
        #expect(second.track1 == .failed(.saidByReader))
        #expect(second.track2 == .failed(.saidByReader))
    }

    /// A preamble or prefix (ID TECH 80096504, "Preamble Setting"; MagTek 99875206, "Pre Card
    /// String"), also one with the start sentinel of a track 3.
    @Test(
        "text around the tracks moves none of them",
        arguments: ["!STCARD A ", "#1 ", "A+B&C ", "WHO? ", "!NO? ", "@ %"])
    func textBeforeTheTracks(before: String) throws {
        let both = "%B4111111111111111^TEST/A^31122010000?!T2 ;4111111111111111=31122010000? END!⏎"
        let swipe = try #require(typedTracks(typed(before + both)))
        #expect(text(swipe.track1) == "B4111111111111111^TEST/A^31122010000")
        #expect(text(swipe.track2) == "4111111111111111=31122010000")
        #expect(swipe.track3 == .blank)
        #expect(
            text(try #require(typedTracks(typed(before + ";4111111111111111=31122010000?"))).track2)
                == "4111111111111111=31122010000")
    }

    /// A character as Alt and its decimal code on the numeric keypad, which Windows types whatever
    /// the layout of the keyboard is.
    @Test("Alt and a code on the numeric keypad type a character", arguments: ["", "0"]) func codesOnTheKeypad(
        zero: String
    ) throws {
        let keypad: [Character: UInt16] = [
            "0": 82, "1": 79, "2": 80, "3": 81, "4": 75, "5": 76, "6": 77, "7": 71, "8": 72, "9": 73,
        ]
        func coded(_ text: String) -> [KeyEvent] {
            text.utf8.flatMap { character -> [KeyEvent] in
                let digits = (zero + String(character)).compactMap { keypad[$0] }
                return [.pressed(56)] + digits.flatMap { [.pressed($0), .released($0)] } + [.released(56)]
            }
        }
        for layout in KeyboardLayout.allCases {
            var keys = WedgeText(layout: layout)
            for event in coded(Self.tracks + "\r") { keys.take(event) }
            let swipe = try #require(try keys.finish()).tracks
            #expect(text(swipe.track1) == "B4761739001010119^DOE/JANE^4912201")
            #expect(text(swipe.track2) == "4761739001010119=4912201")
        }
    }

    @Test("A number with digits missing must not pass for a whole one") func lostKeys() {
        let events = typed(";47617390") + [.lost] + typed("01010119=4912201?") + [.pressed(enter)]
        #expect(typedTracks(events)?.track2 == .failed(.saidByReader))
        #expect(typedTracks([.lost] + typed(";1=2?") + [.pressed(enter)])?.track2.text != nil)
    }

    @Test func capitalsByEitherShiftAndByLock() {
        let right: [KeyEvent] = [.pressed(54), .pressed(6), .released(6), .released(54)]
        let swipe = typedTracks(right + typed("A?") + [.pressed(enter)])
        #expect(swipe.flatMap { text($0.track1) } == "A")
        let lower = typedTracks(typed("%") + [.pressed(30), .released(30)] + typed("?") + [.pressed(enter)])
        #expect(lower.flatMap { text($0.track1) } == "A")
    }

    /// A key as it is pressed: by its code, s for shift, a for AltGr.
    private func swipe(_ strokes: String, _ layout: KeyboardLayout) -> Swipe? {
        var text = WedgeText(layout: layout)
        for stroke in strokes.split(separator: " ") {
            let modifiers: [UInt16] = stroke.first == "s" ? [42] : stroke.first == "a" ? [100] : []
            guard let key = UInt16(stroke.filter(\.isNumber)) else { continue }
            for event in modifiers.map(KeyEvent.pressed) + [.pressed(key), .released(key)]
                + modifiers.map(KeyEvent.released)
            {
                text.take(event)
            }
        }
        return (try? text.finish())?.tracks
    }

    /// `%BZ1^Y A/Q^49=?;12=34?+56?`-like tracks by hand from pictures of the keyboards: German has
    /// Z and Y exchanged, ^ as a dead key before the space bar, = ? / ; % with shift; French has
    /// digits with shift, A and Q, Z and W exchanged, ^ as a dead key or with AltGr; British
    /// differs in " @ # alone.
    @Test("tracks are read with every keyboard layout") func layouts() {
        let german = swipe("s6 s48 s21 2 41 57 s44 57 s30 s8 s16 41 57 5 10 s12 s51 2 3 s11 4 5 s12", .german)
        #expect(german.flatMap { text($0.track1) } == "BZ1^Y A/Q^49")
        #expect(german.flatMap { text($0.track2) } == "12=34")
        let french = swipe("s40 s48 s17 s2 26 57 s21 57 s16 s52 s30 a10 s5 s10 s50 51 s2 s3 13 s4 s5 s50", .french)
        #expect(french.flatMap { text($0.track1) } == "BZ1^Y A/Q^49")
        #expect(french.flatMap { text($0.track2) } == "12=34")
        let british = swipe("s6 s48 s44 2 s7 s21 57 s30 53 s16 s7 5 10 s53 39 2 3 13 4 5 s53", .british)
        #expect(british.flatMap { text($0.track1) } == "BZ1^Y A/Q^49")
        #expect(british.flatMap { text($0.track2) } == "12=34")
        // The same keys on another layout are not a swipe, or are another one.
        #expect(swipe("s6 s48 s21 2 41 57 s12", .american) == nil)
    }

    /// A name that begins with a blank: one space bar is the accent's, the next one types.
    @Test func blankBehindADeadKey() {
        let swipe = swipe("s6 s48 2 41 57 57 s8 41 57 5 10 s12", .german)
        #expect(swipe.flatMap { text($0.track1) } == "B1^ /^49")
    }

    @Test("Typing without end is bounded") func endlessTyping() throws {
        var text = WedgeText()
        for event in typed(";" + String(repeating: "1", count: 5000) + "?") { text.take(event) }
        #expect(try text.finish() == nil)
    }
}

/// Readers that encrypt, and type masked tracks with their ciphertexts.
@Suite(.serialized) struct EncryptingWedgeTests {
    /// D99875475, "Card Data", keyboard emulation, with the values of the manual's appendix D: the
    /// fields that follow the tracks, in their order.
    private static func magneSafe(masked: [TrackNumber: String] = MagTekSample.masked, afterTrack: String = "")
        -> String
    {
        let third = (masked[.three] ?? "").replacing(";", with: "+")
        let tracks = [masked[.one] ?? "", masked[.two] ?? "", third].map { $0 + afterTrack }.joined()
        let ciphertexts = TrackNumber.allCases.map { MagTekSample.ciphertexts[$0] ?? "" }.joined(separator: "|")
        return tracks + "|0600|" + ciphertexts + "|A1050000||B000795|21685F158B5C6BE0|" + MagTekSample.ksn
            + "|A1B2||0000⏎"
    }

    /// The number that the reader shows is not the card's: zeros mask it, its check digit may be
    /// right.
    private static let maskedWithZeros =
        "%B4761000000090119^TEST/A^3112000000000000000?;4761000000090119=311200000000000?"

    /// The card that a payment gets, of keys that a reader types.
    private func card(_ typing: String) async throws -> CapturedCard {
        let script = FakeKeys.Script(typed(typing).map { .success($0) } + [.failure(.timedOut)])
        let slot = try KeyboardWedgeReader(name: "wedge", capabilities: .magneticStripe) { _ throws(DeviceError) in
            KeyboardWedge(FakeKeys(script))
        }
        let outcome = try await MagstripeReader(slot: slot).capture(
            CaptureRequest(amount: 10_00, currencyCode: 978, sequenceCounter: 1)
        ) {
            _ in .unreachable
        }
        return try #require(outcome.card)
    }

    @Test("D99875475: what a MagneSafe reader types is encrypted data", arguments: ["", "⏎"])
    func magneSafe(afterTrack: String) async throws {
        let card = try await card(Self.magneSafe(afterTrack: afterTrack))
        #expect(card.pan == nil)
        #expect(card.track1 == nil)
        #expect(card.track2 == nil)
        let encrypted = try #require(card.encryptedTracks)
        #expect(encrypted.ksn.hex == MagTekSample.ksn)
        #expect(encrypted.serialNumber == "B000795")
        #expect(encrypted.ciphertexts.mapValues(\.hex) == MagTekSample.ciphertexts)
        #expect(encrypted.maskedPAN == "5452********7189")
        #expect(encrypted.expiry == "0804")
        let opened = try SwipeDecryption([.tdesBase(MagTekSample.baseKey())]).open(CapturedSwipe(encrypted: encrypted))
            .tracks
        for track in TrackNumber.allCases { #expect(digest(opened[track]) == MagTekSample.digests[track]) }
    }

    /// The envelope of a SecureMag reader in keyboard mode: in hexadecimal digits, or with its
    /// masked tracks as they are.
    @Test("80096504: what an ID TECH reader types is encrypted data", arguments: [false, true], ["", "ST1 "])
    func idTech(areTracksText: Bool, before: String) async throws {
        let envelope = IDTechSample.original
        let count = 2 * (0x48 + 0x23 + 0x6B)
        let start = envelope.index(envelope.startIndex, offsetBy: 16)
        let end = envelope.index(start, offsetBy: count)
        let text = String(decoding: try [UInt8](hex: envelope[start..<end]), as: UTF8.self)
        let card = try await card(
            before + envelope[..<start] + (areTracksText ? text : String(envelope[start..<end])) + envelope[end...]
                + "⏎")
        #expect(card.pan == nil)
        #expect(card.maskedPAN == "4266********9999")
        let encrypted = try #require(card.encryptedTracks)
        let opened = try SwipeDecryption([.tdesBase(IDTechSample.baseKey())]).open(CapturedSwipe(encrypted: encrypted))
            .tracks
        for (track, digest) in IDTechSample.digests { #expect(CardReadersTests.digest(opened[track]) == digest) }
    }

    /// What follows the tracks decides, and not how they are masked: fields between bars, a key
    /// serial number, a ciphertext.
    @Test(
        "a masked number of an unknown format is refused by name",
        arguments: [
            "|0600|CIPHER|MORE||||SERIAL||KSN|⏎", "|", "|0600||||||||9010010B0C2472000001|⏎", "⏎9010010B0C2472000001⏎",
            "~0600~C25C1D1197D31CAA~⏎", "*C25C1D1197D31CAA87285D59A8920474⏎",
            "%DFE3DC12146B65176C8E7C61763993837DEDB90E67FB89DF⏎", ";DFE3DC12146B65176C8E⏎",
            " wl0dEZfTHKqHKF1ZqJIEdCbZGC7BE1PA⏎",
        ])
    func unknownFormats(after: String) async throws {
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(.encryptionFormatNotSupported)))) {
            _ = try await card(Self.maskedWithZeros + after)
        }
        // The same text is no card number for whoever decodes it.
        let swipe = Swipe(text: Self.maskedWithZeros + after.replacing("⏎", with: "\r"))
        #expect(swipe.track1 == .failed(.maskedByReader))
        #expect(swipe.track2 == .failed(.maskedByReader))
        #expect(!swipe.isReadable)
    }

    /// What readers in the clear add to the tracks: redundancy checks, words, and a track that
    /// breaks off.
    @Test(arguments: [
        "", "⏎", "*⏎", ";⏎", " STATION 12⏎", "+011234567890123445==978", ";011234567890123445==978", "1234567890⏎",
    ])
    func whatClearReadersAdd(after: String) async throws {
        let clear = "%B4761739001010119^TEST/A^31122010000000000000?;4761739001010119=311220100000000?"
        #expect(try await card(clear + after).pan != nil)
    }
}

/// Keys that come when the test says.
private final class FakeKeys: KeyTransport {
    let name = "fake keyboard"
    private let script: Script

    final class Script: Sendable {
        let steps: Mutex<[Result<KeyEvent, DeviceError>]>
        init(_ steps: [Result<KeyEvent, DeviceError>]) { self.steps = Mutex(steps) }
    }

    init(_ script: Script) { self.script = script }

    /// The first drain finds nothing; then the script runs.
    private var isDrained = false

    func next(by deadline: Deadline) throws(DeviceError) -> KeyEvent {
        guard isDrained else {
            isDrained = true
            throw .timedOut
        }
        let step = script.steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let step else { throw deadline == .never ? .disconnected : .timedOut }
        return try step.get()
    }
}

@Suite(.serialized) struct KeyboardWedgeReaderTests {
    private func reader(_ steps: [Result<KeyEvent, DeviceError>]) throws -> KeyboardWedgeReader {
        let script = FakeKeys.Script(steps)
        return try KeyboardWedgeReader(name: "wedge", capabilities: .magneticStripe) { _ throws(DeviceError) in
            KeyboardWedge(FakeKeys(script))
        }
    }

    /// A reader that types no Enter is done when it falls silent.
    @Test func silenceEndsASwipe() async throws {
        let swipe = try await reader(typed(";4761739001010119=4912201?").map { .success($0) } + [.failure(.timedOut)])
            .swipe()
        #expect(text(swipe.tracks.track2) == "4761739001010119=4912201")
    }

    @Test func halfASwipeIsForgotten() async throws {
        let steps: [Result<KeyEvent, DeviceError>] =
            typed(";47617").map { .success($0) } + [.failure(.timedOut)] + typed(";1=2?⏎").map { .success($0) } + [
                .failure(.timedOut)
            ]
        #expect(text(try await reader(steps).swipe().tracks.track2) == "1=2")
    }

    @Test("an unplugged keyboard wedge is reported as disconnected") func unplugged() async throws {
        let steps: [Result<KeyEvent, DeviceError>] = typed(";47617").map { .success($0) } + [.failure(.disconnected)]
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) {
            _ = try await reader(steps).swipe()
        }
    }

    @Test func aFileThatIsNoKeyboard() async throws {
        await #expect(throws: CaptureError.self) { _ = try await KeyboardWedgeReader(path: "/dev/null").swipe() }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.notFound("/dev/input/none")))) {
            _ = try await KeyboardWedgeReader(path: "/dev/input/none").swipe()
        }
    }
}
