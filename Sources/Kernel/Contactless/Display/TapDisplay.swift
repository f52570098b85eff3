package import EMVKernel

/// What a cardholder sees and hears at a contactless reader: four lights, a text and two tones (EMV
/// Contactless Book A, 9 and 10).
///
/// It is a state machine over values: the caller passes each request with the time since any fixed
/// moment, and asks what is shown at a time. Lights and tones follow the status of a request, the
/// text follows its message. A message stays for its hold time; requests that come meanwhile wait.
package struct TapDisplay: Sendable {
    package enum Tone: Sendable, Equatable {
        /// One tone: the card may be removed.
        case success
        /// Two tones: the card could not be processed.
        case alert
    }

    /// What is shown at a time.
    package struct Shown: Sendable, Equatable {
        /// How many of the four lights are on, counted from the first.
        package var lights = 0
        /// Nil while no tone sounds.
        package var tone: Tone?
        /// At most two lines of the message, in the cardholder's language.
        package var lines: [String] = []
        /// The amount or the balance, as one more line.
        package var value: String?
    }

    /// The times of lights and tones. Those of the book were not available: the values are what
    /// makers of readers publish, or our own.
    package enum Times {
        /// An idle reader blinks with its first light.
        package static let idlePeriod = Duration.seconds(5)
        package static let idleBlink = Duration.milliseconds(200)
        /// Between the lights that come on one after the other while the card is read.
        package static let step = Duration.milliseconds(125)
        /// All four lights after the card was read, at least.
        package static let success = Duration.milliseconds(750)
        package static let successTone = Duration.milliseconds(500)
        /// Each of the two alert tones, and the pause between them.
        package static let alertTone = Duration.milliseconds(200)
    }

    private struct Entry {
        let request: UserInterfaceRequest
        let language: MessageLanguage
        /// When it is shown.
        let start: Duration
        let tone: Tone?
    }

    private var language: MessageLanguageChoice
    /// In the order of their starts; the first may be over.
    private var entries: [Entry] = []

    /// Shows nothing before the first request.
    ///
    /// - Parameter languages: The terminal's, the local one first.
    package init(languages: [Language]) { language = MessageLanguageChoice(supported: languages) }

    /// - Parameter time: Not before that of the request before.
    package mutating func take(_ request: UserInterfaceRequest, at time: Duration) {
        language.take(request)
        let last = entries.last
        let start = last.map { max(time, $0.start + .milliseconds(100) * Int(clamping: $0.request.holdTime)) } ?? time
        let tone: Tone? =
            switch request.status {
            case last?.request.status: nil
            case .cardReadSuccessfully: .success
            case .processingError: .alert
            case .notReady, .idle, .readyToRead, .processing: nil
            }
        entries.removeAll { $0.start + Self.memory < time && $0.start != last?.start }
        entries.append(Entry(request: request, language: language.language, start: start, tone: tone))
    }

    /// How long lights and tones of a request can last after it was replaced.
    private static let memory = Times.success

    /// - Parameter time: Not before that of the last request.
    package func shown(at time: Duration) -> Shown {
        guard let current = entries.last(where: { $0.start <= time }) else { return Shown() }
        return Shown(
            lights: lights(current, at: time), tone: tone(at: time),
            lines: current.language.lines(current.request.message),
            value: current.request.value.map(current.language.line))
    }

    /// When something else will be shown; nil if that depends on further requests.
    package func nextChange(after time: Duration) -> Duration? {
        let now = shown(at: time)
        return edges(after: time).sorted().first { shown(at: $0) != now }
    }

    private func lights(_ current: Entry, at time: Duration) -> Int {
        let status = current.request.status
        let isSuccessFresh = entries.contains {
            $0.request.status == .cardReadSuccessfully && $0.start <= time && time < $0.start + Times.success
        }
        if isSuccessFresh, status != .processingError { return 4 }
        let elapsed = time - current.start
        return switch status {
        case .notReady, .processingError: 0
        case .idle: elapsed - Self.wholePeriods(elapsed) < Times.idleBlink ? 1 : 0
        case .readyToRead: 1
        // The fourth says that the card was read.
        case .processing: elapsed < Times.step ? 1 : elapsed < Times.step * 2 ? 2 : 3
        case .cardReadSuccessfully: 4
        }
    }

    /// The part of `elapsed` in which an idle reader has completed its periods.
    private static func wholePeriods(_ elapsed: Duration) -> Duration {
        // fits: a fifth of the seconds, of which a duration has 64 bits
        Times.idlePeriod * Int(elapsed / Times.idlePeriod)
    }

    private func tone(at time: Duration) -> Tone? {
        guard let entry = entries.last(where: { $0.tone != nil && $0.start <= time }) else { return nil }
        let elapsed = time - entry.start
        let isSounding =
            switch entry.tone {
            case .success: elapsed < Times.successTone
            case .alert: elapsed < Times.alertTone || (Times.alertTone * 2..<Times.alertTone * 3).contains(elapsed)
            case nil: false
            }
        return isSounding ? entry.tone : nil
    }

    /// Every time after `time` at which a light or a tone may change, or a waiting request is
    /// shown.
    private func edges(after time: Duration) -> [Duration] {
        entries.flatMap { entry in
            var edges = [entry.start]
            switch entry.request.status {
            case .idle:
                let begun = entry.start + Self.wholePeriods(max(.zero, time - entry.start))
                edges += [begun + Times.idleBlink, begun + Times.idlePeriod]
            case .processing: edges += [entry.start + Times.step, entry.start + Times.step * 2]
            case .cardReadSuccessfully: edges += [entry.start + Times.successTone, entry.start + Times.success]
            case .processingError: edges += [1, 2, 3].map { entry.start + Times.alertTone * $0 }
            case .notReady, .readyToRead: break
            }
            return edges.filter { $0 > time }
        }
    }
}
