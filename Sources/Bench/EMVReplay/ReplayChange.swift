import EMVKernel
public import SmartCard
public import TLV

/// How strictly a replay is compared with its log.
public enum ReplayStrictness: Sendable {
    /// The same commands with the same data in the same order, in addition to ``meaning``.
    case bytes
    /// The same outcome, and, if the log has decisions, the same decisions.
    case meaning
}

/// A difference between a replay and its log.
public enum ReplayChange: Sendable, Equatable {
    case outcome(logged: LoggedOutcome, replayed: LoggedOutcome)
    /// The outcome of one of several presentations of a card, by its number from 1.
    case presentation(number: Int, logged: LoggedOutcome, replayed: LoggedOutcome)
    /// The verdict that the log has for a presentation, by its number from 1, and the actual one.
    case verdict(presentation: Int, logged: String, replayed: String?)
    /// The outcome required in the log's head, and the actual outcome.
    case expectation(expected: String, replayed: String)
    /// TVR, TSI or CVM results sent to the card with a command of the log.
    case result(line: Int, ReplayStep.Difference)
    /// The type of cryptogram requested by a command of the log.
    case cryptogram(line: Int, logged: CryptogramType, replayed: CryptogramType)
    /// The result of a phase; nil if one of the two has none.
    case decision(phase: String, logged: String?, replayed: String?)
    /// A command of the kernel that the log does not have at that position, or has with other data.
    case command(ReplayStep)
    /// A command of the log that the kernel did not send.
    case notSent(line: Int, CommandAPDU)
}

extension ReplayReport {
    /// The differences, the outcome first; empty if the replay matches the log.
    public func changes(_ strictness: ReplayStrictness) -> [ReplayChange] {
        var changes: [ReplayChange] = []
        if obstacle == nil {
            // The head takes precedence over the cryptograms: a TC with a wrong signature is
            // declined.
            if let expected {
                if !meets(expected) { changes.append(.expectation(expected: expected, replayed: decisionWords)) }
            } else if let replayed, !endsAlike {
                changes.append(.outcome(logged: logged, replayed: replayed))
            }
        }
        // Other presentations than that which counts may have been replayed.
        changes += presentationChanges + decisionChanges
        switch strictness {
        case .meaning: changes += resultChanges
        case .bytes:
            changes += steps.indices.filter { steps[$0].verdict != .same }.map { .command(steps[$0]) }
            changes += unused.map { .notSent(line: $0.line, $0.command) }
        }
        return changes
    }

    /// The earlier ones of several presentations: with a verdict of the log's, by that; else by
    /// what the card gave. The last one's outcome is that of the transaction.
    private var presentationChanges: [ReplayChange] {
        guard isContactless else { return [] }
        let verdicts = decisions.filter { $0.phase == APDUTrace.Decision.presentationPhase }.map(\.summary)
        guard verdicts.isEmpty else {
            return (0..<max(verdicts.count, presentations.count)).compactMap { place in
                if presentations.indices.contains(place), presentations[place].obstacle != nil { return nil }
                let words = presentations.indices.contains(place) ? presentations[place].decisionWords : nil
                let logged = verdicts.indices.contains(place) ? verdicts[place] : "–"
                return words == logged ? nil : .verdict(presentation: place + 1, logged: logged, replayed: words)
            }
        }
        let last = presentations.lastIndex { !$0.isIssuerUpdate }
        return presentations.enumerated().compactMap { place, presentation in
            guard place != last, !presentation.isIssuerUpdate, let replayed = presentation.replayed,
                presentation.logged != replayed
            else { return nil }
            return .presentation(number: place + 1, logged: presentation.logged, replayed: replayed)
        }
    }

    /// The results that differ from those of the log's terminal, as shown by its commands.
    private var resultChanges: [ReplayChange] {
        var changes: [ReplayChange] = []
        for step in steps {
            if step.isMissingCryptogram, logged != .wentOnline { changes.append(.command(step)) }
            guard case .differentData(let differences) = step.verdict, let line = step.line else { continue }
            if step.command.instruction == .generateAC,
                let before = step.logged.flatMap({ CryptogramType(rawValue: $0.p1 & 0xC0) }),
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

    /// `expected` is the complete outcome, or its beginning up to a space, comma or colon:
    /// "approved" for "approved offline".
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

extension APDUTrace.Decision {
    /// The phase of the verdict about one presentation of a contactless card.
    package static let presentationPhase = "Presentation"
}
