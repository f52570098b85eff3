/// Final selection: determines the next candidate until one of them runs (EMV 4.4 Book 1, 12.4).
struct FinalSelection {
    /// The remaining candidates, highest priority first.
    private(set) var candidates: [Candidate]
    /// Whether the terminal offers cardholder selection and confirmation; the books define only
    /// both or neither.
    private let canAsk: Bool
    private var hasAsked = false
    /// The cardholder chose or confirmed an application that was then removed: from here on, the
    /// cardholder must confirm every selection.
    private var mustAsk = false
    private var removals: Set<Removal> = []

    enum Step: Equatable {
        case select(Candidate)
        /// A single candidate is to be confirmed.
        case ask([Candidate])
        case end(Termination)
    }

    /// Why a selected application did not run.
    enum Removal: Hashable {
        /// SW `6283` to the final SELECT.
        case blocked
        /// SW `6985` to GET PROCESSING OPTIONS (EMV 4.4 Book 3, 10.1).
        case refused
        /// Any other status, or an invalid FCI: the card cannot run the application that it listed.
        case failed
    }

    init(_ ordered: [Candidate], canAsk: Bool) {
        candidates = ordered
        self.canAsk = canAsk
    }

    /// The next step. If ``strikeOff(_:_:)`` removes an application that the cardholder chose,
    /// every later choice is the cardholder's, too.
    mutating func next() -> Step {
        hasAsked = false
        guard !candidates.isEmpty else { return .end(emptied) }
        if canAsk {
            if candidates.count == 1, !candidates[0].needsConfirmation, !mustAsk { return .select(candidates[0]) }
            hasAsked = true
            return .ask(candidates)
        }
        guard let first = candidates.first(where: { !$0.needsConfirmation }) else {
            return .end(.confirmationNotPossible)
        }
        return .select(first)
    }

    mutating func strikeOff(_ candidate: Candidate, _ removal: Removal) {
        candidates.removeAll { $0 == candidate }
        removals.insert(removal)
        if hasAsked { mustAsk = true }
    }

    /// Why no candidate is left. A statement of the card takes precedence over a mere failure.
    private var emptied: Termination {
        if removals.contains(.refused) { return .applicationRefused }
        if removals.contains(.blocked) { return .applicationBlocked }
        return removals.isEmpty ? .emptyCandidateList : .applicationNotSelectable
    }
}
