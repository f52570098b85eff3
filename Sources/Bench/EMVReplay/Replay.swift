public import CardCryptography
import Contactless
import EMVKernel
public import SmartCard
import TLV

/// Drives our kernels against a recorded conversation as the card, and compares what they do with
/// what the log's terminal did.
///
/// A contactless log is for Entry Point and the kernel of its application, any other for the
/// contact kernel.
public enum Replay {
    /// - Parameter caKeys: Those that the terminal of the log had; without the right one data
    ///   authentication fails where it succeeded in the log. A trace that has keys in its head
    ///   brings its own along.
    /// - Throws: The head of the trace says something about its terminal that makes no sense.
    public static func run(_ trace: APDUTrace, caKeys: [CAPublicKey]) async throws(RecordedTerminalError)
        -> ReplayReport
    {
        try await run(trace, caKeys: caKeys, memory: nil)
    }

    /// The same for one of many logs.
    ///
    /// - Parameter memory: The keys, and what is kept of the logs before.
    package static func run(_ trace: APDUTrace, memory: ReplayMemory) async throws(RecordedTerminalError)
        -> ReplayReport
    {
        try await run(trace, caKeys: memory.caKeys, memory: memory)
    }

    private static func run(
        _ trace: APDUTrace, caKeys: [CAPublicKey], memory: ReplayMemory?
    ) async throws(RecordedTerminalError) -> ReplayReport {
        let recorded = try RecordedTerminal(trace, moreKeys: caKeys, memory: memory)
        let log = ReplayedLog(trace, caKeys: caKeys, memory: memory, recorded: recorded)
        if log.conversation.interface(log.card) == .contactless { return await TapReplay(log).run() }
        return await contact(log)
    }

    private static func contact(_ log: ReplayedLog) async -> ReplayReport {
        let terminal = LoggedTerminal(
            log.conversation, card: log.card, lists: log.lists, caKeys: log.caKeys, recorded: log.recorded)
        let loggedTVR = log.conversation.tvr(log.lists, first: true)
        // A terminal that the head tells of has its keys there too. Where the log shows no TVR, it
        // shows no failure.
        let first = loggedTVR ?? []
        let logged =
            log.recorded == nil
            ? LoggedAuthentication(first: first, last: log.conversation.tvr(log.lists, first: false) ?? first) : nil
        let channel = LoggedCard(log.conversation, lists: log.lists)
        let issuer = LoggedIssuer(log.conversation, lists: log.lists, decisions: log.decisions)
        var events: [KernelEvent] = []
        var configuration = terminal.configuration
        configuration.issuerCertificates = log.memory?.issuers
        let outcome = await ContactKernel(configuration).perform(
            terminal.request, card: channel, cardholder: LoggedCardholder(log.conversation, tvr: loggedTVR ?? []),
            issuer: issuer,
            environment: terminal.environment, logged: logged
        ) { events.append($0) }
        return ReplayReport(
            log, steps: channel.steps, unused: channel.unused, transaction: .contact(outcome, events),
            assumptions: terminal.assumptions + [issuer.assumption].compactMap { $0 },
            replayed: LoggedOutcome(outcome, events),
            phases: log.decisions.isEmpty ? nil : log.memory?.phases(events))
    }
}

/// A log that is replayed, taken apart. A class, so that it is passed on without its arrays being
/// counted.
final class ReplayedLog: Sendable {
    let trace: APDUTrace
    let conversation: LoggedConversation
    let card: DataElements
    let lists: LoggedLists
    let caKeys: [CAPublicKey]
    let memory: ReplayMemory?
    /// What the log's terminal worked out, in order.
    let decisions: [APDUTrace.Decision]
    let recorded: RecordedTerminal?
    /// The secure channel of kernel 8; nil for other kernels, or without the terminal's key.
    let channel: LoggedChannel?

    init(_ trace: APDUTrace, caKeys: [CAPublicKey], memory: ReplayMemory?, recorded: RecordedTerminal?) {
        self.trace = trace
        conversation = LoggedConversation(trace)
        channel = LoggedChannel(trace, conversation)
        card = channel.map { LoggedConversation($0.deciphered(trace)).cardData } ?? conversation.cardData
        lists = LoggedLists(card)
        self.caKeys = caKeys
        self.memory = memory
        decisions = trace.entries.indices.compactMap { index in
            if case .decision(let decision) = trace.entries[index].event { decision } else { nil }
        }
        self.recorded = recorded
    }
}

extension LoggedConversation {
    /// The TVR that went with the first GENERATE AC, or with the second.
    fileprivate func tvr(_ lists: LoggedLists, first: Bool) -> TerminalVerificationResults? {
        let command = first ? cryptogramCommands.first : cryptogramCommands.dropFirst().first
        return command.flatMap { lists.elements($0, isFirst: first)?[.terminalVerificationResults] }
            .flatMap(TerminalVerificationResults.init)
    }
}
