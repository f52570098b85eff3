public import TLV

/// The cryptogram that the terminal requests from the card, and why (EMV 4.4 Book 3, 10.7).
public struct ActionAnalysis: Sendable, Equatable {
    /// The action codes or the terminal type that decided.
    public enum Reason: Sendable, Equatable {
        /// Bits of the TVR that are set in the denial action codes.
        case denial(TerminalVerificationResults)
        /// Bits of the TVR that are set in the online action codes.
        case online(TerminalVerificationResults)
        /// Bits of the TVR that are set in the default action codes; the issuer cannot be reached.
        case `default`(TerminalVerificationResults)
        /// The terminal is online only.
        case onlineOnlyTerminal
        /// No bit of the TVR is set in the action codes that were compared.
        case nothingAgainst
    }

    /// The type of cryptogram that GENERATE AC requests; the card may answer with a lower type.
    public let request: CryptogramType
    /// The cause of ``request``, for logs.
    public let reason: Reason

    /// The request of the first GENERATE AC.
    package static func first(
        _ tvr: TerminalVerificationResults, terminal: ActionCodes, issuer: ActionCodes, type: TerminalType
    ) -> ActionAnalysis {
        if let denial = denial(tvr, terminal: terminal, issuer: issuer) { return denial }
        guard !type.isOfflineOnly else { return withoutIssuer(tvr, terminal: terminal, issuer: issuer, type: type) }
        guard !type.isOnlineOnly else { return ActionAnalysis(request: .arqc, reason: .onlineOnlyTerminal) }
        let online = tvr.intersection(terminal.online.union(issuer.online))
        return online.isEmpty
            ? ActionAnalysis(request: .tc, reason: .nothingAgainst)
            : ActionAnalysis(request: .arqc, reason: .online(online))
    }

    /// The decline by the denial codes; nil if they do not decline.
    static func denial(_ tvr: TerminalVerificationResults, terminal: ActionCodes, issuer: ActionCodes)
        -> ActionAnalysis?
    {
        let denied = tvr.intersection(terminal.denial.union(issuer.denial))
        return denied.isEmpty ? nil : ActionAnalysis(request: .aac, reason: .denial(denied))
    }

    /// The request if the issuer cannot be reached: only the default codes decide. An online-only
    /// terminal declines, which is allowed.
    static func withoutIssuer(
        _ tvr: TerminalVerificationResults, terminal: ActionCodes, issuer: ActionCodes, type: TerminalType
    ) -> ActionAnalysis {
        if type.isOnlineOnly { return ActionAnalysis(request: .aac, reason: .onlineOnlyTerminal) }
        let refused = tvr.intersection(terminal.default.union(issuer.default))
        return refused.isEmpty
            ? ActionAnalysis(request: .tc, reason: .nothingAgainst)
            : ActionAnalysis(request: .aac, reason: .default(refused))
    }

    /// The issuer's codes, with the default values for absent ones: denial no bit, online and
    /// default every bit (EMV 4.4 Book 3, 10.7).
    package static func issuerActionCodes(_ card: DataElements) -> ActionCodes {
        let every = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF)
        func codes(_ tag: Tag, absent: TerminalVerificationResults) -> TerminalVerificationResults {
            card.field(tag) ?? absent
        }
        return ActionCodes(
            denial: codes(.issuerActionCodeDenial, absent: []), online: codes(.issuerActionCodeOnline, absent: every),
            default: codes(.issuerActionCodeDefault, absent: every))
    }

    /// One line for logs: the request and its reason.
    public var summary: String {
        let because =
            switch reason {
            case .denial(let bits): "denied for: \(bits.meanings.joined(separator: "; "))"
            case .online(let bits): "online for: \(bits.meanings.joined(separator: "; "))"
            case .default(let bits): "declined by default for: \(bits.meanings.joined(separator: "; "))"
            case .onlineOnlyTerminal: "the terminal is online only"
            case .nothingAgainst: "nothing speaks against it"
            }
        return "asks for \(request.summary): \(because)"
    }
}
