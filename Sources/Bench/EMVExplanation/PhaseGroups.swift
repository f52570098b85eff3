import EMVKernel
import EMVReplay
import SmartCard
private import TLV

/// Groups the steps of a log into runs of the same phase.
struct PhaseGroups {
    private(set) var runs: [(phase: KernelEvent.Phase, steps: [Explanation.Step])] = []
    /// The number of starts of the application.
    private(set) var starts = 0

    /// - Parameter plain: The trace with its records in plain text; nil if nothing in it is
    ///   enciphered.
    init(_ trace: APDUTrace, plain: APDUTrace?, _ transaction: LoggedTransaction, isRedacted: Bool) {
        var writer = APDUTraceWriter(isRedacted ? .redacted : .testCard)
        // Every card number of the log is known before its first line is shown.
        writer.learn(trace)
        if let plain { writer.learn(plain) }
        let lists = SentElements(trace)
        for exchange in transaction.conversation.exchanges {
            if let sent = lists.elements(of: exchange) { writer.remember(sent) }
        }
        let reading = ExchangeReading(transaction, isRedacted: isRedacted, writer)
        var assignment = PhaseAssignment()
        var answers = AnswerCollection()
        for (index, entry) in trace.entries.enumerated() {
            let start = entry.time?.seconds
            func words() -> String {
                let line = writer.lines(entry).dropFirst(2).filter { !$0.isNewline }
                return isRedacted ? Masking.text(line) : Masking.plain(line)
            }
            switch entry.event {
            case .exchange(let exchange):
                let isFirst = assignment.cryptograms == 0
                if exchange.command.instruction == .getProcessingOptions { starts += 1 }
                let phase = assignment.assign(exchange.command, exchange.response.status)
                var deciphered: APDUTrace.Exchange?
                if case .exchange(let other) = plain?.entries[index].event, other.response != exchange.response {
                    deciphered = other
                }
                let source = StepSource.exchange(
                    reading, exchange, whole: answers.whole(exchange) ?? deciphered, isFirstCryptogram: isFirst)
                add(phase, line: entry.line, start: start, end: exchange.received?.seconds, source: source)
            case .unanswered(let command):
                let isFirst = assignment.cryptograms == 0
                let phase = assignment.assign(command, nil)
                add(
                    phase, line: entry.line, start: start, end: nil,
                    source: .unanswered(reading, command, isFirstCryptogram: isFirst))
            case .reader:
                add(assignment.phase, line: entry.line, start: start, end: nil, source: .event(.reader(words())))
            case .decision(let decision):
                let text = words()
                let phase = assignment.assign(decision: decision.phase)
                let prefix = "\(decision.phase): "
                add(
                    phase, line: entry.line, start: start, end: nil,
                    source: .event(.decision(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)))
            case .host(let message):
                add(
                    assignment.assignHost(), line: entry.line, start: start, end: nil,
                    source: .event(.host(isAnswer: message.direction == .received, String(words().dropFirst(2)))))
            case .wire: add(assignment.phase, line: entry.line, start: start, end: nil, source: .event(.wire(words())))
            }
        }
    }

    private mutating func add(_ phase: KernelEvent.Phase, line: Int, start: Double?, end: Double?, source: StepSource) {
        let step = Explanation.Step(line: line, start: start, end: end, source: source)
        if runs.last?.phase == phase {
            runs[runs.count - 1].steps.append(step)
        } else {
            runs.append((phase, [step]))
        }
    }

    /// The phases with their results. A phase without commands to the card has no steps, and is
    /// inserted at its position.
    func phases(_ conclusions: PhaseConclusions) -> [Explanation.Phase] {
        var lastOfPhase: [KernelEvent.Phase: Int] = [:]
        for (index, run) in runs.enumerated() { lastOfPhase[run.phase] = index }
        var phases = runs.enumerated().map { index, run in
            (
                run.phase,
                Explanation.Phase(
                    run.phase, conclusions: lastOfPhase[run.phase] == index ? conclusions.lines(run.phase) : [],
                    steps: run.steps)
            )
        }
        let order = KernelEvent.Phase.allCases
        for (rank, phase) in order.enumerated() where lastOfPhase[phase] == nil {
            let lines = conclusions.lines(phase)
            guard !lines.isEmpty else { continue }
            let start =
                (phases.lastIndex { $0.0 == .readApplicationData } ?? phases.lastIndex { $0.0 == .initiateApplication }
                    ?? -1) + 1
            let place = phases[start...].firstIndex { (order.firstIndex(of: $0.0) ?? 0) > rank } ?? phases.endIndex
            phases.insert((phase, Explanation.Phase(phase, conclusions: lines, steps: [])), at: place)
        }
        return phases.map(\.1)
    }
}

extension Duration {
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
