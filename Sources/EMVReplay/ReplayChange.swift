import EMVKernel
public import SmartCard
public import TLV

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
    /// TVR, TSI or CVM results as they went to the card with a command of the log.
    case result(line: Int, ReplayStep.Difference)
    /// The type of cryptogram that was asked for with a command of the log.
    case cryptogram(line: Int, logged: CryptogramType, replayed: CryptogramType)
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
        guard obstacle == nil else { return [] }
        var changes: [ReplayChange] = []
        // What the head says goes before what the cryptograms show: a TC whose signature is wrong is declined.
        if let expected {
            if !meets(expected) { changes.append(.expectation(expected: expected, replayed: decisionWords)) }
        } else if let replayed, !endsAlike {
            changes.append(.outcome(logged: logged, replayed: replayed))
        }
        changes += decisionChanges
        switch strictness {
        case .meaning: changes += resultChanges
        case .bytes:
            changes += steps.filter { $0.verdict != .same }.map { .command($0) }
            changes += unused.map { .notSent(line: $0.line, $0.command) }
        }
        return changes
    }

    /// What the kernel found otherwise than the log's terminal, as its commands show.
    private var resultChanges: [ReplayChange] {
        var changes: [ReplayChange] = []
        for step in steps {
            if step.isMissingCryptogram, logged != .wentOnline { changes.append(.command(step)) }
            guard case .differentData(let differences) = step.verdict, let line = step.line else { continue }
            if step.command.instruction == .generateAC, let before = step.logged.flatMap({ CryptogramType(rawValue: $0.p1 & 0xC0) }),
                let now = CryptogramType(rawValue: step.command.p1 & 0xC0), before != now
            {
                changes.append(.cryptogram(line: line, logged: before, replayed: now))
            }
            changes += differences.filter { Self.results.contains($0.tag) }.map { .result(line: line, $0) }
        }
        return changes
            + unused.filter { $0.command.instruction == .generateAC }.map { .notSent(line: $0.line, $0.command) }
    }

    private static let results: [Tag] = [.terminalVerificationResults, .transactionStatusInformation, .cvmResults]

    /// `expected` is the outcome in full, or its beginning up to a space, comma or colon: "approved" for "approved offline".
    private func meets(_ expected: String) -> Bool {
        let words = decisionWords
        guard words.hasPrefix(expected) else { return false }
        let next = words.utf8.dropFirst(expected.utf8.count).first
        return next.map { [UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: ":")].contains($0) } ?? true
    }

    /// The decisions of each phase, compared one by one in their order.
    private var decisionChanges: [ReplayChange] {
        guard !decisions.isEmpty, !isContactless else { return [] }
        let replayed = phases
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
