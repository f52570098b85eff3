package import SmartCard

extension APDUTrace {
    /// What a log of ours has of the host's decision about its card.
    package enum HostDecision: Sendable, Equatable {
        /// The log has no request for a decision: nobody was asked, or the log does not have the
        /// messages. What the terminal tells the host afterwards is no request.
        case notAsked
        /// The request has no answer with a response code.
        case notAnswered
        /// The host's response code (ISO 8583:1987, field 39).
        case answered(responseCode: String)
    }

    /// The decision that the terminal asked the host for.
    package var hostDecision: HostDecision {
        var decision = HostDecision.notAsked
        var isAwaited = false
        for entry in entries {
            guard case .host(let message) = entry.event else { continue }
            switch message.direction {
            case .sent:
                isAwaited = Self.asks(message.text)
                if isAwaited { decision = .notAnswered }
            case .received:
                if isAwaited, let code = Self.responseCode(message.text) { decision = .answered(responseCode: code) }
                isAwaited = false
            }
        }
        return decision
    }

    /// What the terminal tells the host of what has been decided, as a recording begins its
    /// message.
    package enum Advice: String, CaseIterable {
        case approvedOffline = "approved offline"
        case declinedOffline = "declined offline"
        case completion, reversal
    }

    private static func asks(_ request: String) -> Bool { !Advice.allCases.contains { request.hasPrefix($0.rawValue) } }

    private static func responseCode(_ answer: String) -> String? {
        guard let range = answer.firstRange(of: "response code ") else { return nil }
        let code = answer[range.upperBound...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return code.isEmpty ? nil : String(code)
    }

    /// What the terminal of a log of ours says of a payment that it did not make.
    package enum TerminalWord: Sendable, Equatable {
        /// - reason: Why; nil if the log does not say.
        case declined(reason: String?)
        /// It made no payment: the card was taken away, or sent to its contacts.
        case noPayment(reason: String?)
    }

    /// Nil if there was a payment, or the head of the log does not say.
    package var terminalWord: TerminalWord? {
        guard let verdict = self["verdict"] else { return nil }
        let reason = verdict.firstRange(of: ": ").map { String(verdict[$0.upperBound...]) }
        if verdict.hasPrefix("declined") { return .declined(reason: reason) }
        return verdict.hasPrefix("no payment") ? .noPayment(reason: reason) : nil
    }
}
