import EMVKernel
public import SmartCard

/// How strictly a replay is compared with its log.
public enum ReplayStrictness: Sendable {
    /// The same commands with the same data in the same order, and all that is compared by meaning.
    case bytes
    /// The same outcome, and where the log has decisions, the same decisions.
    case meaning
}

/// Something that a replay did otherwise than its log.
public enum ReplayChange: Sendable, Equatable {
    case outcome(logged: LoggedOutcome, replayed: LoggedOutcome)
    /// How the transaction must end, by the log's head, and how it ended.
    case expectation(expected: String, replayed: String)
    /// What a phase came to; nil where one of the two has nothing there.
    case decision(phase: String, logged: String?, replayed: String?)
    /// A command of the kernel that the log does not have there, or has with other data.
    case command(ReplayStep)
    /// A command of the log that the kernel did not send.
    case notSent(line: Int, CommandAPDU)
}

extension ReplayReport {
    /// What differs, the outcome first; nothing if the replay is like the log.
    public func changes(_ strictness: ReplayStrictness) -> [ReplayChange] {
        var changes: [ReplayChange] = []
        // What the head says goes before what the cryptograms show: a TC whose signature is wrong is declined.
        if let expected {
            if !meets(expected) { changes.append(.expectation(expected: expected, replayed: outcome.decision.words)) }
        } else if !endsAlike {
            changes.append(.outcome(logged: logged, replayed: replayed))
        }
        changes += decisionChanges
        if strictness == .bytes {
            changes += steps.filter { $0.verdict != .same }.map { .command($0) }
            changes += unused.map { .notSent(line: $0.line, $0.command) }
        }
        return changes
    }

    /// `expected` is the outcome in full, or its beginning up to a space, comma or colon: "approved" for "approved offline".
    private func meets(_ expected: String) -> Bool {
        let words = outcome.decision.words
        guard words.hasPrefix(expected) else { return false }
        let next = words.utf8.dropFirst(expected.utf8.count).first
        return next.map { [UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: ":")].contains($0) } ?? true
    }

    /// The decisions of each phase, compared one by one in their order.
    private var decisionChanges: [ReplayChange] {
        guard !decisions.isEmpty else { return [] }
        let replayed = events.map { APDUTrace.Decision(phase: $0.phase.rawValue, summary: $0.summary) }
        guard decisions != replayed else { return [] }
        var phases: [String] = []
        for decision in decisions + replayed where !phases.contains(decision.phase) { phases.append(decision.phase) }
        return phases.flatMap { phase in
            let before = decisions.filter { $0.phase == phase }.map(\.summary)
            let now = replayed.filter { $0.phase == phase }.map(\.summary)
            return (0..<max(before.count, now.count)).compactMap { index -> ReplayChange? in
                let old = index < before.count ? before[index] : nil
                let new = index < now.count ? now[index] : nil
                return old == new ? nil : .decision(phase: phase, logged: old, replayed: new)
            }
        }
    }
}
