import CardCapture
import Console
import Contactless
import EMVKernel
import PaymentTerminal

/// Shows on standard error what the cardholder sees at a contactless reader: the four lights and
/// the text, with the terminal's bell for the tones. Without a terminal, a line for each message.
actor TapScreen {
    private var display: TapDisplay
    private var last: UserInterfaceRequest.Message?
    private var drawn: TapDisplay.Shown?
    private var redrawing: Task<Void, Never>?
    /// Lines have no time: each message comes when the lights of the one before are over.
    private var lineTime = Duration.zero
    private let isLive = LiveLine.isAvailable
    private let start = ContinuousClock.now

    /// - Parameter languages: The terminal's, the local one first.
    init(languages: [Language]) { display = TapDisplay(languages: languages) }

    /// Shows the events of one payment until its result.
    nonisolated func follow(_ events: AsyncStream<TerminalEvent>) async {
        following: for await event in events {
            switch event.content {
            case .reader(.userInterface(let request)): await take(request)
            case .payment(let response):
                await take(response.outcome)
                break following
            case .failed: break following
            default: break
            }
        }
        await leave()
    }

    /// Ends the line for other output, until the next message.
    func leave() {
        redrawing?.cancel()
        redrawing = nil
        guard isLive, drawn != nil else { return }
        draw()
        LiveLine.end()
        drawn = nil
    }

    private func take(_ request: UserInterfaceRequest) {
        last = request.message
        guard isLive else {
            var request = request
            request.holdTime = 0
            lineTime += TapDisplay.Times.success
            display.take(request, at: lineTime)
            return tell(display.shown(at: lineTime))
        }
        display.take(request, at: now)
        redrawing?.cancel()
        redrawing = Task { await redraw() }
    }

    /// The kernels show what they decide; the issuer's decision is shown by the terminal.
    private func take(_ outcome: PaymentResponse.Outcome) {
        switch (outcome, last) {
        case (.approved, .approved), (.approved, .approvedSign), (.declined, .notAuthorized), (_, nil): break
        case (.approved, _): take(UserInterfaceRequest(.approved, .notReady))
        case (.declined, _): take(UserInterfaceRequest(.notAuthorized, .notReady))
        default: break
        }
    }

    private var now: Duration { start.duration(to: .now) }

    private func redraw() async {
        while !Task.isCancelled {
            draw()
            guard let next = display.nextChange(after: now) else { return }
            try? await Task.sleep(until: start + next)
        }
    }

    private func draw() {
        let shown = display.shown(at: now)
        guard shown != drawn else { return }
        let lights = (0..<4).map { $0 < shown.lights ? "●" : "○" }.joined(separator: " ")
        LiveLine.draw(lights + "  " + Self.text(shown), rings: shown.tone != nil && drawn?.tone == nil)
        drawn = shown
    }

    private func tell(_ shown: TapDisplay.Shown) {
        guard !shown.lines.isEmpty else { return }
        let lights = String((0..<4).map { $0 < shown.lights ? "*" : "." })
        let tone =
            switch shown.tone {
            case .success: " (success tone)"
            case .alert: " (alert tone)"
            case nil: ""
            }
        LiveLine.tell("[\(lights)] \(Self.text(shown))\(tone)")
    }

    private static func text(_ shown: TapDisplay.Shown) -> String {
        (shown.lines + [shown.value].compactMap(\.self)).joined(separator: " ")
    }
}
