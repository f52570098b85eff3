/// Final selection: which candidate comes next, until one of them runs (EMV 4.4 Book 1, 12.4).
struct FinalSelection {
    /// What is left of the candidate list, highest priority first.
    private(set) var candidates: [Candidate]
    /// Whether the terminal offers cardholder selection and confirmation; the books know both or neither.
    private let canAsk: Bool
    private var hasAsked = false
    /// The cardholder chose or confirmed an application that was then struck off: from here on nothing is selected without them.
    private var mustAsk = false
    private var removals: Set<Removal> = []

    enum Step: Equatable {
        case select(Candidate)
        /// One candidate alone is to be confirmed.
        case ask([Candidate])
        case end(Termination)
    }

    /// Why an application that was selected did not run.
    enum Removal: Hashable {
        /// SW `6283` to the final SELECT.
        case blocked
        /// SW `6985` to GET PROCESSING OPTIONS (EMV 4.4 Book 3, 10.1).
        case refused
        /// Any other status, or an invalid FCI: the card does not have the application that it listed.
        case failed
    }

    init(_ ordered: [Candidate], canAsk: Bool) {
        candidates = ordered
        self.canAsk = canAsk
    }

    /// What to do now. Asking is remembered: ``strikeOff(_:_:)`` of what the cardholder took makes every later choice theirs.
    mutating func next() -> Step {
        hasAsked = false
        guard !candidates.isEmpty else { return .end(emptied) }
        if canAsk {
            if candidates.count == 1, !candidates[0].needsConfirmation, !mustAsk { return .select(candidates[0]) }
            hasAsked = true
            return .ask(candidates)
        }
        guard let first = candidates.first(where: { !$0.needsConfirmation }) else { return .end(.confirmationNotPossible) }
        return .select(first)
    }

    mutating func strikeOff(_ candidate: Candidate, _ removal: Removal) {
        candidates.removeAll { $0 == candidate }
        removals.insert(removal)
        if hasAsked { mustAsk = true }
    }

    /// Why there is nothing left. What the card said about itself weighs more than what merely went wrong.
    private var emptied: Termination {
        if removals.contains(.refused) { return .applicationRefused }
        if removals.contains(.blocked) { return .applicationBlocked }
        return removals.isEmpty ? .emptyCandidateList : .applicationNotSelectable
    }
}
