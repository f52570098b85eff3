package import CardCryptography
package import EMVKernel
import SmartCard
import Synchronization

/// What the logs of a folder have in common, worked out once: their issuers' certificates, their
/// terminal, the words for what the kernel does.
///
/// Each log has the result that it has alone: only what was asked before in the same way is
/// answered from here.
package final class ReplayMemory: Sendable {
    /// The keys of the logs' terminals, besides those in their heads.
    let caKeys: [CAPublicKey]
    package let issuers = IssuerCertificates()
    private let terminal = Mutex<(head: [String], configuration: TerminalConfiguration)?>(nil)
    private let phases = Mutex<(events: [KernelEvent], words: [APDUTrace.Decision])>(([], []))

    package init(caKeys: [CAPublicKey]) { self.caKeys = caKeys }

    /// The terminal of the log before if the head, its lines about it, is the same; otherwise what
    /// `read` makes of it.
    func terminal(
        _ head: [String], read: () throws(RecordedTerminalError) -> TerminalConfiguration
    ) throws(RecordedTerminalError) -> TerminalConfiguration {
        if let known = terminal.withLock({ $0 }), known.head == head { return known.configuration }
        let configuration = try read()
        terminal.withLock { $0 = (head, configuration) }
        return configuration
    }

    /// The words for `events`, those of the log before where its event was the same.
    func phases(_ events: [KernelEvent]) -> [APDUTrace.Decision] {
        let known = phases.withLock { $0 }
        if known.events == events { return known.words }
        let words = events.enumerated().map { index, event in
            index < known.events.count && known.events[index] == event ? known.words[index] : APDUTrace.Decision(event)
        }
        phases.withLock { $0 = (events, words) }
        return words
    }
}

extension APDUTrace.Decision {
    init(_ event: KernelEvent) { self.init(phase: event.phase.rawValue, summary: event.summary) }
}
