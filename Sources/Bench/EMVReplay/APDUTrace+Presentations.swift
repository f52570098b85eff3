import Contactless
package import SmartCard
import TLV

extension APDUTrace {
    /// A contactless log as one trace for each presentation of the card, in order, each with the
    /// head of the whole.
    ///
    /// The card is presented again where an event says so. A log without events shows it where the
    /// terminal selects by name although nothing is left to do: after a command without an answer,
    /// or after a cryptogram. A directory that is selected after GET PROCESSING OPTIONS begins a
    /// presentation, too. What comes after 1,000 presentations belongs to the last one.
    package var presentations: [APDUTrace] {
        var starts: [Int] = []
        var hasCommands = false
        var stage = Stage.selection
        for (place, entry) in entries.enumerated() where starts.count < 999 {
            switch entry.event {
            case .reader(.cardPresented), .reader(.reset):
                guard hasCommands else { continue }
                starts.append(place)
                (hasCommands, stage) = (false, .selection)
            case .exchange(let exchange):
                if stage.isLeft(by: exchange.command) {
                    starts.append(place)
                    stage = .selection
                }
                hasCommands = true
                stage.take(exchange)
            case .unanswered(let command):
                if stage.isLeft(by: command) { starts.append(place) }
                hasCommands = true
                stage = .over
            case .reader, .decision, .host, .wire: continue
            }
        }
        guard !starts.isEmpty else { return [self] }
        return zip([0] + starts, starts + [entries.count]).map { start, end in
            APDUTrace(metadata: metadata, entries: Array(entries[start..<end]))
        }
    }

    /// This presentation, whose GENERATE AC had no answer, with the answer that RECOVER AC got in a
    /// later one; nil if either is missing.
    func completed(by recovery: APDUTrace) -> APDUTrace? {
        guard
            let answer = recovery.exchanges.last(where: {
                $0.command.instruction == .recoverAC && $0.response.status == .success
            }),
            let torn = entries.lastIndex(where: { $0.isTornCryptogram }),
            case .unanswered(let command) = entries[torn].event
        else { return nil }
        var entries = Array(entries[..<torn])
        let exchange = Exchange(line: answer.line, command: command, response: answer.response)
        entries.append(Entry(.exchange(exchange)))
        return APDUTrace(metadata: metadata, entries: entries)
    }

    /// How far a presentation has come, as its commands show it.
    private enum Stage {
        case selection
        case application
        /// Only another presentation can follow.
        case over

        func isLeft(by command: CommandAPDU) -> Bool {
            guard command.instruction == .select, command.p1 == 0x04 else { return false }
            return switch self {
            case .selection: false
            case .application: command.data == Directory.name
            case .over: true
            }
        }

        mutating func take(_ exchange: Exchange) {
            switch exchange.command.instruction {
            case .getProcessingOptions: self = exchange.givesCryptogramWithOptions ? .over : .application
            case .generateAC, .recoverAC, .computeCryptographicChecksum, .externalAuthenticate:
                if exchange.response.status == .success { self = .over }
            default: break
            }
        }
    }
}

extension APDUTrace.Entry {
    /// A GENERATE AC without an answer.
    var isTornCryptogram: Bool {
        guard case .unanswered(let command) = event else { return false }
        return command.instruction == .generateAC
    }
}

extension ReplayedLog {
    /// The presentations of a contactless card, each taken apart.
    var presentations: [ReplayedLog] {
        let traces = trace.presentations
        guard traces.count > 1 else { return [self] }
        return traces.map { ReplayedLog($0, caKeys: caKeys, memory: memory, recorded: recorded) }
    }
}
