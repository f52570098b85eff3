import Contactless
import EMVKernel
import SmartCard
import TLV

/// How a transaction ended, as far as a log shows it.
public enum LoggedOutcome: Sendable, Equatable {
    case approved
    case declined
    /// The card went online, and the log ends there.
    case wentOnline
    /// The card returned a code for its track, or, in Visa's mag-stripe mode, the track with its
    /// code: it goes online.
    case wentOnlineByTrack
    /// There was a cryptogram but no payment. A log does not show this.
    case ended
    /// There was no cryptogram.
    case noCryptogram

    init(_ conversation: LoggedConversation) {
        let outcome = Self.given(conversation)
        // A card may give its cryptogram with the processing options, and leave before its records
        // are read.
        let isTorn =
            conversation.commands.last.map { $0.response == nil && $0.command.instruction == .readRecord } ?? false
        self = isTorn && (outcome == .approved || outcome == .wentOnline) ? .ended : outcome
    }

    /// Of a tap in a log of ours: the terminal decides after the card has left, and the log has its
    /// words and its messages to the host.
    func decided(in trace: APDUTrace) -> LoggedOutcome {
        guard self == .approved || self == .wentOnline else { return self }
        guard trace.hostDecision == .notAsked else { return .wentOnline }
        return switch trace.terminalWord {
        case .declined: .declined
        case .noPayment: .ended
        case nil: self
        }
    }

    /// What the card gave.
    private static func given(_ conversation: LoggedConversation) -> LoggedOutcome {
        if let type = lastCryptogram(of: conversation)?.information.type { return LoggedOutcome(type) }
        let givesTrack = conversation.exchanges.contains { $0.givesChecksum } || conversation.hasVisaTrack
        return givesTrack ? .wentOnlineByTrack : .noCryptogram
    }

    private static func lastCryptogram(of conversation: LoggedConversation) -> LoggedCryptogram? {
        for exchange in conversation.exchanges.reversed() where exchange.asksForCryptogram {
            if let cryptogram = LoggedCryptogram(exchange.response) { return cryptogram }
        }
        // Contactless cards may return their only cryptogram with the processing options.
        return conversation.exchanges.last(where: \.givesCryptogramWithOptions).flatMap {
            LoggedCryptogram($0.response)
        }
    }

    private init(_ type: CryptogramType) {
        switch type {
        case .tc: self = .approved
        case .aac: self = .declined
        case .arqc: self = .wentOnline
        }
    }

    /// - Parameter steps: The card's answers, which show why a transaction was not approved.
    init(_ outcome: ContactlessOutcome, _ steps: [ReplayStep]) {
        let answers = steps.reversed().lazy.compactMap(\.exchange)
        switch outcome.status {
        case .approved: self = .approved
        case .declined: self = .declined
        case .onlineRequest: self = outcome.isByTrack ? .wentOnlineByTrack : .wentOnline
        case .endApplication, .selectNext, .tryAnotherInterface, .tryAgain:
            let last = answers.compactMap {
                $0.asksForCryptogram || $0.givesCryptogramWithOptions ? LoggedCryptogram($0.response) : nil
            }.first
            switch last?.information.type {
            // A card that declines may be sent to its contacts.
            case .aac: self = .declined
            case .tc, .arqc: self = .ended
            case nil: self = answers.contains { $0.givesChecksum } ? .ended : .noCryptogram
            }
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

    public var summary: String {
        switch self {
        case .approved: "approved (TC)"
        case .declined: "declined (AAC)"
        case .wentOnline: "went online (ARQC) with no second cryptogram"
        case .wentOnlineByTrack: "went online with its track"
        case .ended: "ended without a payment"
        case .noCryptogram: "no cryptogram"
        }
    }
}

extension APDUTrace.Exchange {
    /// GET PROCESSING OPTIONS, answered with a cryptogram (EMV Contactless Book C-3, 5.4).
    var givesCryptogramWithOptions: Bool {
        command.instruction == .getProcessingOptions && response.data.first == 0x77 && LoggedCryptogram(response) != nil
    }

    /// GENERATE AC, or RECOVER AC for one that was torn (EMV Contactless Book C-2, S9 and S10).
    fileprivate var asksForCryptogram: Bool { [.generateAC, .recoverAC].contains(command.instruction) }

    /// COMPUTE CRYPTOGRAPHIC CHECKSUM with CVC3 of track 2, which a phone leaves out that wants its
    /// owner (EMV Contactless Book C-2, S13 and S14).
    fileprivate var givesChecksum: Bool {
        guard command.instruction == .computeCryptographicChecksum, response.status == .success else { return false }
        return (try? DataElements(parsing: response.data))?.contains(0x9F61) ?? false
    }
}

extension LoggedConversation {
    /// A Visa card in mag-stripe mode (AIP byte 2 bit 8) gave its track, and no cryptogram.
    fileprivate var hasVisaTrack: Bool {
        guard first(.getProcessingOptions) != nil, cryptogramCommands.isEmpty else { return false }
        let card = cardData
        guard PaymentSystem(rid: Array((card[.dfName] ?? []).prefix(5))) == .visa,
            !card.contains(.applicationCryptogram),
            let profile = card[.applicationInterchangeProfile], profile.count == 2
        else { return false }
        return profile[1] & 0x80 != 0 && card.contains(.track2EquivalentData)
    }
}

extension ContactlessOutcome {
    /// In mag-stripe mode: a track, and no cryptogram.
    fileprivate var isByTrack: Bool {
        data.map { $0.card.contains(.track2DataContactless) && !$0.card.contains(.applicationCryptogram) } ?? false
    }
}

extension ReplayStep {
    fileprivate var exchange: APDUTrace.Exchange? {
        response.map { APDUTrace.Exchange(line: line ?? 0, command: command, response: $0) }
    }
}
