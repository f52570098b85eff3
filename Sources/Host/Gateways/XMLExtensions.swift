/// What is known of an XML gateway's extensions, which its answer to `OPTIONS` names.
///
/// The published interface has no such answer, and a system on the way may give any other. A
/// reversal is given up where there are no extensions, so one answer without them does not tell.
enum XMLExtensions {
    case unknown
    case notNamed(times: Int, since: ContinuousClock.Instant)
    case named

    /// A system on the way does not answer so often, and for so long.
    static let answers = 3
    static let duration = Duration.seconds(600)

    mutating func missed(at now: ContinuousClock.Instant) {
        if case .notNamed(let times, let since) = self {
            self = .notNamed(times: times + 1, since: since)
        } else {
            self = .notNamed(times: 1, since: now)
        }
    }

    /// Nil while it is open.
    func areThere(at now: ContinuousClock.Instant) -> Bool? {
        switch self {
        case .unknown: nil
        case .notNamed(let times, let since): times >= Self.answers && now - since >= Self.duration ? false : nil
        case .named: true
        }
    }
}
