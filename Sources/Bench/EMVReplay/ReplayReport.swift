public import Contactless
public import EMVKernel
public import SmartCard
public import TLV

/// The result of our kernel with a log's card.
public enum ReplayedTransaction: Sendable {
    /// The contact kernel, with its events.
    case contact(Outcome, [KernelEvent])
    /// Entry Point and the kernel that it started.
    case contactless(KernelIdentifier, ContactlessOutcome)
    case notReplayed(ReplayObstacle)
}

/// Why no kernel of ours can be compared with the terminal of a contactless log.
public enum ReplayObstacle: Sendable, Equatable {
    /// The application's kernel is not implemented.
    case kernel(KernelIdentifier)
    /// The terminal's key for the secure channel of kernel 8 is not in the log.
    case channelKey
    /// The log does not show which kernel the application has.
    case unknownKernel
    /// The terminal exchanged relay resistance data more than once in a tap, and the log does not
    /// say how long each took.
    case relayResistance
    /// The terminal took a Visa card's track in another way than our kernel does in mag-stripe
    /// mode.
    case magstripeMode
    /// The terminal recovered the cryptogram of a torn transaction, whose tap the log does not
    /// show.
    case recovery
    /// The kernel's decision depends on a certificate or a signature that cannot be checked.
    case dataAuthentication(Evidence.Gap)
}

extension ReplayObstacle: CustomStringConvertible {
    public var description: String {
        switch self {
        case .channelKey:
            "the card and kernel 8 spoke under a key that the log does not have: give the terminal's private key as kernel-8-key in its head, or with --kernel-8-key"
        case .kernel(let kernel): "\(kernel) is not implemented, only kernels 2, 3, 4, 7 and 8 are"
        case .unknownKernel: "the log does not show which contactless kernel its application has"
        case .relayResistance:
            "the terminal repeated the relay resistance protocol, and the log does not say how long each exchange took"
        case .magstripeMode:
            "the terminal took the card's track without mag-stripe mode (MSD) in TTQ and AIP, which kernel 3 here does not do"
        case .recovery: "the terminal recovered a torn transaction, whose first tap the log does not show"
        case .dataAuthentication(let gap): "the kernel decides by the card's signature, which cannot be checked: \(gap)"
        }
    }
}

/// The result of a replay.
public struct ReplayReport: Sendable {
    /// One presentation of a contactless card.
    public struct Presentation: Sendable, Equatable {
        /// The line of its first command, from 1; 0 without a text.
        public let line: Int
        /// Nil if it ended before an application was selected.
        public let kernel: KernelIdentifier?
        /// Whether the card was presented for the issuer's commands, which change nothing of the
        /// outcome.
        public let isIssuerUpdate: Bool
        public let logged: LoggedOutcome
        /// Nil if no kernel ran.
        public let replayed: LoggedOutcome?
        /// Why no kernel ran; nil if one ran.
        public let obstacle: ReplayObstacle?
        /// How it ended for Entry Point and its kernel, or why no kernel ran.
        public let decisionWords: String
    }

    public let steps: [ReplayStep]
    /// The log's commands that the kernel did not send; empty if no kernel ran.
    public let unused: [LoggedCommand]
    public let transaction: ReplayedTransaction
    /// The events of the contact kernel; empty for other kernels.
    public let events: [KernelEvent]
    /// Why no kernel ran for the transaction that counts, which is that of the last presentation;
    /// nil if one ran. Other presentations may have been replayed (``presentations``).
    public let obstacle: ReplayObstacle?
    /// Whether the log is contactless.
    public let isContactless: Bool
    /// Assumptions about data that the log does not contain.
    public let assumptions: [String]
    public let logged: LoggedOutcome
    /// Nil if no kernel ran.
    public let replayed: LoggedOutcome?
    /// The presentations of a contactless card, in order; empty for the contact kernel, and if no
    /// kernel ran for any of them.
    public let presentations: [Presentation]

    /// The decisions that the log has.
    public let decisions: [APDUTrace.Decision]
    /// The outcome required in the log's head: ``decisionWords``, or their beginning.
    public let expected: String?

    /// What could not be checked, and the cure: the log's own result is used instead.
    public var notChecked: [String] {
        let left = presentations.enumerated().compactMap { place, presentation in
            presentation.obstacle.map { "presentation \(place + 1) not replayed: \($0)" }
        }
        guard left.isEmpty else { return left }
        if let obstacle { return ["not replayed: \(obstacle)"] }
        return events.indices.compactMap { index in
            guard case .dataAuthenticationNotChecked(let method, let failure) = events[index] else { return nil }
            return "\(method.name): \(failure.cure ?? "\(failure)")"
        }
    }

    let last: LoggedCommand?
    /// ``phases``, where they are known already.
    private let knownPhases: [APDUTrace.Decision]?

    init(
        _ log: ReplayedLog, steps: [ReplayStep] = [], unused: [LoggedCommand] = [], transaction: ReplayedTransaction,
        assumptions: [String] = [], replayed: LoggedOutcome? = nil, phases: [APDUTrace.Decision]? = nil,
        presentations: [Presentation] = []
    ) {
        self.steps = steps
        self.unused = unused
        self.transaction = transaction
        (events, obstacle, isContactless) =
            switch transaction {
            case .contact(_, let events): (events, nil, false)
            case .contactless: ([], nil, true)
            case .notReplayed(let obstacle): ([], obstacle, true)
            }
        self.assumptions = assumptions
        // Of several presentations, that of the last one counts, which may be another payment.
        logged = presentations.last { !$0.isIssuerUpdate }?.logged ?? LoggedOutcome(log.conversation)
        self.presentations = presentations
        self.replayed = replayed
        decisions = log.decisions
        expected = log.trace["expect"]
        last = log.conversation.commands.last
        knownPhases = phases
    }

    /// The line of the log's last command.
    public var lastLine: Int { last?.line ?? 0 }

    /// The log ends before its transaction, so that there is no outcome to compare: before any
    /// cryptogram, at another position than the kernel's end; between an ARQC and the second
    /// GENERATE AC; or within an answer.
    ///
    /// A log with a required outcome, or with decisions up to the end, is complete. A log whose
    /// last answer is an ARQC is also complete: contactless terminals, and terminals that leave the
    /// rest to a host, stop there.
    public var isCutShort: Bool {
        if obstacle != nil { return false }
        if expected != nil || decisions.contains(where: { $0.phase == KernelEvent.Phase.completion.rawValue }) {
            return false
        }
        return switch logged {
        case .approved, .declined, .ended: false
        case .wentOnline, .wentOnlineByTrack: endsWithinAnswer || lacksSecondCryptogram
        case .noCryptogram: endsWithinAnswer || steps.last?.line != lastLine
        }
    }

    /// The kernel continued from an ARQC to a second cryptogram that the log, although it
    /// continues, does not have.
    private var lacksSecondCryptogram: Bool {
        last?.command.instruction != .generateAC && steps.contains { $0.isMissingCryptogram }
    }

    /// The log's last answer is incomplete: its last two bytes are not a status word (ISO/IEC
    /// 7816-4, 5.6: `6xxx` and `9xxx`), or a status word without data has data, or the data of a
    /// cryptogram cannot be read.
    private var endsWithinAnswer: Bool {
        guard let last, let response = last.response else { return false }
        let status = response.status
        guard status != .success else {
            return last.command.instruction == .generateAC && LoggedCryptogram(response) == nil
        }
        guard [0x60, 0x90].contains(status.sw1 & 0xF0) else { return true }
        if response.data.isEmpty { return false }
        // A warning may come with data, which are whole then.
        let isWarning = status.isWarning && (try? DataElements(parsing: response.data)) != nil
        return !(isWarning || status.sw1 == 0x61) || last.command.instruction == .generateAC
    }

    /// Whether the kernel's transaction ended like the log's.
    public var endsAlike: Bool { logged == replayed }

    /// Whether the kernel also sent the same values to the card as the log's terminal.
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

// MARK: What the kernel came to

extension ReplayReport {
    /// The outcome of the contact kernel; nil for other kernels.
    public var outcome: Outcome? { if case .contact(let outcome, _) = transaction { outcome } else { nil } }

    /// The outcome of Entry Point and its kernel; nil for the contact kernel.
    public var contactlessOutcome: ContactlessOutcome? {
        if case .contactless(_, let outcome) = transaction { outcome } else { nil }
    }

    /// How the kernel's transaction ended: ``Outcome/Decision/summary``, or those of the
    /// contactless outcome.
    public var decisionWords: String {
        switch transaction {
        case .contact(let outcome, _): outcome.decision.summary
        case .contactless(_, let outcome): outcome.summary
        case .notReplayed: "not replayed"
        }
    }

    /// The phases and their results, in order.
    public var phases: [APDUTrace.Decision] {
        if let knownPhases { return knownPhases }
        return switch transaction {
        case .contact(_, let events): events.map { APDUTrace.Decision($0) }
        case .contactless(let kernel, let outcome):
            earlierPresentations + [APDUTrace.Decision(phase: "Kernel", summary: "\(kernel)")]
                + (outcome.verification.map {
                    [APDUTrace.Decision(phase: "Cardholder verification", summary: $0.summary)]
                } ?? [])
                + [APDUTrace.Decision(phase: "Outcome", summary: outcome.summary)]
        case .notReplayed: earlierPresentations
        }
    }

    /// Of several presentations of a card, a line for each.
    private var earlierPresentations: [APDUTrace.Decision] {
        guard presentations.count > 1 else { return [] }
        return presentations.enumerated().map { place, presentation in
            let kernel = presentation.kernel.map { "\($0), " } ?? ""
            return APDUTrace.Decision(
                phase: "Presentation \(place + 1)",
                summary: presentation.isIssuerUpdate
                    ? "\(kernel)the issuer's commands" : "\(kernel)\(presentation.decisionWords)")
        }
    }

    /// Tags `95`, `9B` and `9F34` at the end, as far as the kernel has them.
    public func result(_ tag: Tag) -> [UInt8]? {
        switch transaction {
        case .contact(let outcome, _):
            switch tag {
            case .terminalVerificationResults: outcome.tvr.bytes
            case .transactionStatusInformation: outcome.tsi.bytes
            case .cvmResults: outcome.cvmResults.bytes
            default: nil
            }
        case .contactless(_, let outcome): outcome.data?.terminal[tag]
        case .notReplayed: nil
        }
    }
}

extension ContactlessOutcome {
    /// As in the head of a trace, and the reason where there is one.
    package var summary: String {
        let words =
            switch status {
            case .approved: "approved offline"
            case .declined: "declined offline"
            case .onlineRequest: "online request"
            case .endApplication where start == .b: "to be presented again"
            case .endApplication: "ended"
            case .selectNext: "next application"
            case .tryAnotherInterface: "another interface"
            case .tryAgain: "to be presented again"
            }
        return reason.map { "\(words): \($0)" } ?? words
    }
}

extension ContactlessOutcome.Verification {
    fileprivate var summary: String {
        switch self {
        case .none: "none"
        case .signature: "signature"
        case .onlinePIN: "PIN for the issuer"
        case .consumerDevice: "on the consumer's device"
        }
    }
}

extension ReplayStep {
    /// Whether the kernel requests a cryptogram that the log does not have.
    var isMissingCryptogram: Bool {
        guard case .notInLog = verdict else { return false }
        return command.instruction == .generateAC
    }
}
