import EMVKernel
import Testing

@testable import Contactless

/// EMV Contactless Book A, 9 and 10: user interface request data, status indicators and tones.
/// Times as `TapDisplay.Times` says.
@Suite("What the cardholder sees and hears") struct TapDisplayTests {
    private let german = Language("de").map { [$0] } ?? []

    /// Milliseconds as the time since any moment.
    private func ms(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

    private func display(_ request: UserInterfaceRequest, at time: Duration = .zero) -> TapDisplay {
        var display = TapDisplay(languages: [])
        display.take(request, at: time)
        return display
    }

    /// Every change from `time` on, as the milliseconds and the lights; with the tone where one
    /// sounds.
    private func changes(_ display: TapDisplay, from time: Duration = .zero, count: Int = 20) -> [String] {
        var changes: [String] = []
        var next: Duration? = time
        while let time = next, changes.count < count {
            let shown = display.shown(at: time)
            changes.append("\(time / .milliseconds(1)) \(shown.lights)\(shown.tone.map { " \($0)" } ?? "")")
            next = display.nextChange(after: time)
        }
        return changes
    }

    @Test("nothing is shown before the first request") func nothing() {
        let display = TapDisplay(languages: german)
        #expect(display.shown(at: .zero) == TapDisplay.Shown())
        #expect(display.nextChange(after: .zero) == nil)
        #expect(
            self.display(UserInterfaceRequest(.welcome, .idle), at: ms(500)).shown(at: ms(499)) == TapDisplay.Shown())
    }

    @Test("an idle reader blinks with its first light, for 200 ms every 5 s") func idle() {
        let display = display(UserInterfaceRequest(.welcome, .idle), at: ms(70))
        #expect(changes(display, from: ms(70), count: 5) == ["70.0 1", "270.0 0", "5070.0 1", "5270.0 0", "10070.0 1"])
        #expect(display.shown(at: ms(70)).lines == ["WELCOME"])
        // Hours later too.
        #expect(display.nextChange(after: .seconds(36_000)) == ms(36_000_070))
    }

    @Test("a reader that is ready has its first light on, one that is not ready none") func ready() {
        #expect(changes(display(UserInterfaceRequest(.presentCard, .readyToRead))) == ["0.0 1"])
        #expect(changes(display(UserInterfaceRequest(.removeCard, .notReady))) == ["0.0 0"])
    }

    @Test("lights come on one after the other while the card is read; the fourth says that it was") func processing() {
        var display = display(UserInterfaceRequest(.processing, .processing))
        #expect(changes(display) == ["0.0 1", "125.0 2", "250.0 3"])
        display.take(UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully), at: ms(300))
        #expect(changes(display, from: ms(300)) == ["300.0 4 success", "800.0 4"])
        #expect(display.shown(at: ms(300)).lines == ["CARD READ OK", "REMOVE CARD"])
    }

    @Test("all four lights stay for 750 ms after the card was read, also if something else than an error follows")
    func success() {
        var display = display(UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully))
        display.take(UserInterfaceRequest(.removeCard, .notReady), at: ms(100))
        #expect(display.shown(at: ms(100)).lines == ["PLEASE REMOVE CARD"], "the text does not wait")
        #expect(changes(display, from: ms(100)) == ["100.0 4 success", "500.0 4", "750.0 0"])
        display.take(UserInterfaceRequest(.processingError, .processingError), at: ms(200))
        #expect(changes(display, from: ms(200)) == ["200.0 0 alert", "400.0 0", "600.0 0 alert", "800.0 0"])
    }

    @Test("an error has no lights and two alert tones of 200 ms") func error() {
        let display = display(UserInterfaceRequest(.insertCard, .processingError))
        #expect(changes(display) == ["0.0 0 alert", "200.0 0", "400.0 0 alert", "600.0 0"])
    }

    @Test("the same status again sounds no tone, and a new one after it does") func repeatedStatus() {
        var display = display(UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully))
        display.take(UserInterfaceRequest(.approved, .cardReadSuccessfully), at: ms(2_000))
        #expect(display.shown(at: ms(2_000)) == TapDisplay.Shown(lights: 4, lines: ["APPROVED"]))
        display.take(UserInterfaceRequest(.presentCard, .readyToRead), at: ms(3_000))
        display.take(UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully), at: ms(4_000))
        #expect(display.shown(at: ms(4_000)).tone == .success)
    }

    /// Hold time: units of 100 ms.
    @Test("a message stays for its hold time, and requests that come meanwhile wait in order") func holdTime() {
        var display = display(UserInterfaceRequest(.seePhone, .processingError, holdTime: 13))
        display.take(UserInterfaceRequest(.presentCardAgain, .readyToRead), at: ms(10))
        #expect(display.shown(at: ms(1_299)) == TapDisplay.Shown(lines: ["SEE PHONE FOR", "INSTRUCTIONS"]))
        #expect(display.nextChange(after: ms(700)) == ms(1_300))
        #expect(display.shown(at: ms(1_300)) == TapDisplay.Shown(lights: 1, lines: ["PRESENT CARD AGAIN"]))
        // A third replaces the second, which is due at the same time.
        display.take(UserInterfaceRequest(.processing, .processing, holdTime: 5), at: ms(20))
        display.take(UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully), at: ms(30))
        #expect(display.shown(at: ms(1_299)).lines == ["SEE PHONE FOR", "INSTRUCTIONS"])
        #expect(display.shown(at: ms(1_300)).lines == ["PROCESSING"])
        #expect(display.shown(at: ms(1_799)).lines == ["PROCESSING"])
        #expect(
            display.shown(at: ms(1_800))
                == TapDisplay.Shown(lights: 4, tone: .success, lines: ["CARD READ OK", "REMOVE CARD"]))
        // After the hold time nothing waits.
        display.take(UserInterfaceRequest(.approved, .cardReadSuccessfully), at: ms(9_000))
        #expect(display.shown(at: ms(9_000)).lines == ["APPROVED"])
    }

    @Test("the longest hold time does not overflow") func longHold() {
        var display = display(UserInterfaceRequest(.welcome, .idle, holdTime: .max))
        display.take(UserInterfaceRequest(.presentCard, .readyToRead), at: ms(1))
        #expect(display.shown(at: .seconds(429_496_729)).lines == ["WELCOME"])
        #expect(display.shown(at: .seconds(429_496_730)).lines == ["PRESENT CARD"])
    }

    @Test("texts and values are in the cardholder's language, each as it was asked for") func languages() throws {
        var display = TapDisplay(languages: german + [try #require(Language("fr"))])
        display.take(UserInterfaceRequest(.presentCard, .readyToRead), at: .zero)
        #expect(display.shown(at: .zero).lines == ["KARTE VORHALTEN"])
        let french = [try #require(Language("fr"))]
        display.take(
            UserInterfaceRequest(
                .approved, .cardReadSuccessfully, languages: french, value: .balance(5_00, currency: 978)), at: ms(1))
        #expect(display.shown(at: ms(1)).lines == ["PAIEMENT ACCEPTÉ"])
        #expect(display.shown(at: ms(1)).value == "SOLDE 5,00 EUR")
        display.take(UserInterfaceRequest(.clearDisplay, .notReady), at: ms(2))
        #expect(display.shown(at: ms(2)).lines.isEmpty)
        display.take(UserInterfaceRequest(.presentCard, .readyToRead), at: ms(3))
        #expect(display.shown(at: ms(3)).lines == ["KARTE VORHALTEN"])
        #expect(display.shown(at: ms(3)).value == nil)
    }
}
