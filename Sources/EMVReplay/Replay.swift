public import CardCryptography
public import EMVKernel
public import SmartCard
import TLV

/// Drives the kernel against a recorded conversation as the card, and compares what it does with what the log's terminal did.
public enum Replay {
    /// - Parameter caKeys: Those that the terminal of the log had; without the right one data authentication fails where it succeeded in the log.
    ///   A trace that has keys in its head brings its own along.
    /// - Throws: The head of the trace says something about its terminal that makes no sense.
    public static func run(_ trace: APDUTrace, caKeys: [CAPublicKey]) async throws(RecordedTerminalError) -> ReplayReport {
        let recorded = try RecordedTerminal(trace)
        let conversation = LoggedConversation(trace)
        let card = conversation.cardData
        let lists = LoggedLists(card)
        let terminal = LoggedTerminal(conversation, card: card, lists: lists, caKeys: caKeys, recorded: recorded)
        let loggedTVR = conversation.tvr(lists, first: true)
        // A terminal that the head tells of has its keys there too. Where the log shows no TVR, it shows no failure.
        let first = loggedTVR ?? []
        let logged =
            trace["terminal"] == nil
            ? LoggedAuthentication(first: first, last: conversation.tvr(lists, first: false) ?? first) : nil
        let channel = LoggedCard(conversation, lists: lists)
        let decisions = trace.decisions
        let issuer = LoggedIssuer(conversation, lists: lists, decisions: decisions)
        var events: [KernelEvent] = []
        let outcome = await ContactKernel(terminal.configuration).perform(
            terminal.request, card: channel, cardholder: LoggedCardholder(conversation, tvr: loggedTVR ?? []), issuer: issuer,
            environment: terminal.environment, logged: logged
        ) { events.append($0) }
        return ReplayReport(
            steps: await channel.steps, unused: await channel.unused, events: events, outcome: outcome,
            assumptions: terminal.assumptions + [issuer.assumption].compactMap { $0 }, logged: LoggedOutcome(conversation),
            replayed: LoggedOutcome(outcome, events), decisions: decisions, expected: trace["expect"], last: conversation.commands.last)
    }
}

extension APDUTrace {
    /// What a kernel worked out, in order.
    var decisions: [Decision] {
        entries.compactMap { if case .decision(let decision) = $0.event { decision } else { nil } }
    }
}

/// How a transaction ended, as far as a log can show it.
public enum LoggedOutcome: Sendable, Equatable {
    case approved
    case declined
    /// The card wanted the issuer, and the log ends there.
    case wentOnline
    /// No cryptogram was made.
    case noCryptogram

    init(_ conversation: LoggedConversation) {
        let last = conversation.cryptograms.reversed().lazy.compactMap { LoggedCryptogram($0.response) }.first
        switch last?.information.type {
        case .tc: self = .approved
        case .aac: self = .declined
        case .arqc: self = .wentOnline
        case nil: self = .noCryptogram
        }
    }

    init(_ outcome: Outcome, _ events: [KernelEvent]) {
        switch outcome.decision {
        case .approved: self = .approved
        case .declined: self = .declined
        case .terminated:
            let cryptograms = events.compactMap { event in
                if case .cryptogram(_, let answered) = event { answered.type } else { nil }
            }
            self = cryptograms.last == .arqc ? .wentOnline : .noCryptogram
        }
    }

    public var words: String {
        switch self {
        case .approved: "approved (TC)"
        case .declined: "declined (AAC)"
        case .wentOnline: "went online (ARQC) with no second cryptogram"
        case .noCryptogram: "no cryptogram"
        }
    }
}

/// What a replay showed.
public struct ReplayReport: Sendable {
    public let steps: [ReplayStep]
    /// The log's commands that the kernel never came to.
    public let unused: [LoggedCommand]
    public let events: [KernelEvent]
    public let outcome: Outcome
    /// What the log does not tell and was taken so that it fits.
    public let assumptions: [String]
    public let logged: LoggedOutcome
    public let replayed: LoggedOutcome

    /// The decisions that the log has.
    public let decisions: [APDUTrace.Decision]
    /// How the transaction must end, by the log's head: ``Outcome/Decision/words``, or their beginning.
    public let expected: String?

    /// What could not be checked, and the cure: the log's own result counts in its place.
    public var notChecked: [String] {
        events.compactMap { event in
            guard case .dataAuthenticationNotChecked(let method, let failure) = event else { return nil }
            return "\(method.name): \(failure.cure ?? "\(failure)")"
        }
    }

    let last: LoggedCommand?

    /// The line of the log's last command.
    public var lastLine: Int { last?.line ?? 0 }

    /// The log ends before its transaction does, so that there is no outcome to compare: before any cryptogram, at another place than where the kernel
    /// stopped; on the way from an ARQC to the second GENERATE AC; or within an answer.
    ///
    /// A log that says how it must end is whole, as is one whose decisions come to the end. One whose last answer is an ARQC is whole: terminals that leave the rest to a host, and contactless ones, stop there.
    public var isCutShort: Bool {
        if expected != nil || decisions.contains(where: { $0.phase == KernelEvent.Phase.completion.rawValue }) { return false }
        return switch logged {
        case .approved, .declined: false
        case .wentOnline: endsWithinAnswer || lacksSecondCryptogram
        case .noCryptogram: endsWithinAnswer || steps.last?.line != lastLine
        }
    }

    /// The kernel went on from an ARQC to a second cryptogram which the log, although it goes on too, does not have.
    private var lacksSecondCryptogram: Bool {
        last?.command.instruction != .generateAC && steps.contains { $0.isMissingCryptogram }
    }

    /// The log's last answer is not whole: its last two bytes are no status word (ISO/IEC 7816-4, 5.6: `6xxx` and `9xxx`), or one that comes without
    /// data and has some, or a cryptogram's data cannot be read.
    private var endsWithinAnswer: Bool {
        guard let last, let response = last.response else { return false }
        let status = response.status
        guard status != .success else { return last.command.instruction == .generateAC && LoggedCryptogram(response) == nil }
        return ![0x60, 0x90].contains(status.sw1 & 0xF0) || !response.data.isEmpty && ![0x61, 0x62, 0x63].contains(status.sw1)
            || !response.data.isEmpty && last.command.instruction == .generateAC
    }

    /// The kernel's transaction ended as the log's did.
    public var endsAlike: Bool { logged == replayed }

    /// The kernel also sent every value to the card that the log's terminal sent.
    public var sendsAlike: Bool {
        steps.allSatisfy { step in
            switch step.verdict {
            case .same, .elsewhere: true
            case .differentData: false
            case .notInLog: !(step.isMissingCryptogram && logged != .wentOnline)
            }
        }
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

extension ReplayStep {
    /// The kernel asks for a cryptogram that the log does not have.
    var isMissingCryptogram: Bool {
        guard case .notInLog = verdict else { return false }
        return command.instruction == .generateAC
    }
}
