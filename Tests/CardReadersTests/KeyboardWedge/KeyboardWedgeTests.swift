import DeviceIO
import MagneticStripe
import SmartCard
import Synchronization
import Testing

@testable import CardCapture
@testable import CardReaders

/// Keys by their codes in linux/input-event-codes.h, written down here a second time from its list of names.
private let keys: [Character: (code: UInt16, shift: Bool)] = [
    "%": (6, true), ";": (39, false), "?": (53, true), "^": (7, true), "=": (13, false), "+": (13, true), "/": (53, false),
    " ": (57, false),
    "0": (11, false), "1": (2, false), "2": (3, false), "3": (4, false), "4": (5, false), "5": (6, false), "6": (7, false), "7": (8, false),
    "8": (9, false), "9": (10, false), "A": (30, true), "B": (48, true), "D": (32, true), "E": (18, true), "J": (36, true), "N": (49, true),
    "O": (24, true), "h": (35, false), "e": (18, false), "l": (38, false), "o": (24, false),
]
private let enter: UInt16 = 28

private func typed(_ text: String) -> [KeyEvent] {
    text.flatMap { character -> [KeyEvent] in
        guard let key = keys[character] else { return [] }
        let stroke: [KeyEvent] = [.pressed(key.code), .released(key.code)]
        return key.shift ? [.pressed(42)] + stroke + [.released(42)] : stroke
    }
}

private func swipes(_ events: [KeyEvent]) -> [Swipe] {
    var text = WedgeText()
    return events.compactMap { text.take($0) }
}

@Suite(.serialized) struct WedgeTextTests {
    private static let tracks = "%B4761739001010119^DOE/JANE^4912201?;4761739001010119=4912201?"

    @Test("Typed tracks are a swipe") func aSwipe() throws {
        let swipe = try #require(swipes(typed(Self.tracks) + [.pressed(enter)]).first)
        #expect(text(swipe.track1) == "B4761739001010119^DOE/JANE^4912201")
        #expect(text(swipe.track2) == "4761739001010119=4912201")
    }

    /// What a person types on the same device is not a swipe, and does not end up in one.
    @Test func onlyWhatHasSentinels() {
        #expect(swipes(typed("hello") + [.pressed(enter)]).isEmpty)
        #expect(swipes(typed("4761739001010119=4912201?") + [.pressed(enter)]).isEmpty)
        #expect(swipes(typed(";4761739001010119=4912201") + [.pressed(enter)]).isEmpty)
        let after = swipes(typed("hello" + Self.tracks) + [.pressed(96)])
        #expect(after.count == 1 && after[0].track1.text != nil)
    }

    @Test("Two swipes one after the other are kept apart") func twoSwipes() {
        let both = swipes(typed(";4761739001010119=4912201?") + [.pressed(enter)] + typed("%E?;E?") + [.pressed(enter)])
        #expect(both.count == 2)
        #expect(text(both[0].track2) == "4761739001010119=4912201")
        #expect(both[1].track1 == .failed(.saidByReader) && both[1].track2 == .failed(.saidByReader))
    }

    @Test("A number with digits missing must not pass for a whole one") func lostKeys() {
        let events = typed(";47617390") + [.lost] + typed("01010119=4912201?") + [.pressed(enter)]
        #expect(swipes(events).first?.track2 == .failed(.saidByReader))
        #expect(swipes([.lost] + typed(";1=2?") + [.pressed(enter)]).first?.track2.text != nil)
    }

    @Test func capitalsByEitherShiftAndByLock() {
        let right: [KeyEvent] = [.pressed(54), .pressed(6), .released(6), .released(54)]
        let swipe = swipes(right + typed("A?") + [.pressed(enter)]).first
        #expect(swipe.flatMap { text($0.track1) } == "A")
        let lower = swipes(typed("%") + [.pressed(30), .released(30)] + typed("?") + [.pressed(enter)]).first
        #expect(lower.flatMap { text($0.track1) } == "A")
    }

    /// A key as it is pressed: by its code, s for shift, a for AltGr.
    private func swipe(_ strokes: String, _ layout: KeyboardLayout) -> Swipe? {
        var text = WedgeText(layout: layout)
        for stroke in strokes.split(separator: " ") {
            let modifiers: [UInt16] = stroke.first == "s" ? [42] : stroke.first == "a" ? [100] : []
            guard let key = UInt16(stroke.filter(\.isNumber)) else { continue }
            for event in modifiers.map(KeyEvent.pressed) + [.pressed(key), .released(key)] + modifiers.map(KeyEvent.released) {
                _ = text.take(event)
            }
        }
        return text.finish()
    }

    /// `%BZ1^Y A/Q^49=?;12=34?+56?`-like tracks by hand from pictures of the keyboards: German has Z and Y exchanged, ^ as a dead key before the space bar,
    /// = ? / ; % with shift; French has digits with shift, A and Q, Z and W exchanged, ^ as a dead key or with AltGr; British differs in " @ # alone.
    @Test("tracks are read with every keyboard layout") func layouts() {
        let german = swipe("s6 s48 s21 2 41 57 s44 57 s30 s8 s16 41 57 5 10 s12 s51 2 3 s11 4 5 s12", .german)
        #expect(german.flatMap { text($0.track1) } == "BZ1^Y A/Q^49" && german.flatMap { text($0.track2) } == "12=34")
        let french = swipe("s40 s48 s17 s2 26 57 s21 57 s16 s52 s30 a10 s5 s10 s50 51 s2 s3 13 s4 s5 s50", .french)
        #expect(french.flatMap { text($0.track1) } == "BZ1^Y A/Q^49" && french.flatMap { text($0.track2) } == "12=34")
        let british = swipe("s6 s48 s44 2 s7 s21 57 s30 53 s16 s7 5 10 s53 39 2 3 13 4 5 s53", .british)
        #expect(british.flatMap { text($0.track1) } == "BZ1^Y A/Q^49" && british.flatMap { text($0.track2) } == "12=34")
        // The same keys on another layout are not a swipe, or are another one.
        #expect(swipe("s6 s48 s21 2 41 57 s12", .american) == nil)
    }

    /// A name that begins with a blank: one space bar is the accent's, the next one types.
    @Test func blankBehindADeadKey() {
        let swipe = swipe("s6 s48 2 41 57 57 s8 41 57 5 10 s12", .german)
        #expect(swipe.flatMap { text($0.track1) } == "B1^ /^49")
    }

    @Test("Typing without end is bounded") func endlessTyping() {
        var text = WedgeText()
        for event in typed(";" + String(repeating: "1", count: 5000)) { #expect(text.take(event) == nil) }
        #expect(text.finish() == nil)
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
        let swipe = try await reader(typed(";4761739001010119=4912201?").map { .success($0) } + [.failure(.timedOut)]).swipe()
        #expect(text(swipe.tracks.track2) == "4761739001010119=4912201")
    }

    @Test func halfASwipeIsForgotten() async throws {
        let steps: [Result<KeyEvent, DeviceError>] =
            typed(";47617").map { .success($0) } + [.failure(.timedOut)] + typed(";1=2?").map { .success($0) } + [.success(.pressed(enter))]
        #expect(text(try await reader(steps).swipe().tracks.track2) == "1=2")
    }

    @Test("an unplugged keyboard wedge is reported as disconnected") func unplugged() async throws {
        let steps: [Result<KeyEvent, DeviceError>] = typed(";47617").map { .success($0) } + [.failure(.disconnected)]
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) { _ = try await reader(steps).swipe() }
    }

    @Test func aFileThatIsNoKeyboard() async throws {
        await #expect(throws: CaptureError.self) { _ = try await KeyboardWedgeReader(path: "/dev/null").swipe() }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.notFound("/dev/input/none")))) {
            _ = try await KeyboardWedgeReader(path: "/dev/input/none").swipe()
        }
    }
}
