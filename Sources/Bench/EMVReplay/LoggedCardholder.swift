import Bytes
import EMVKernel
import SmartCard
import TLV

/// The cardholder of a log: chooses the same application and enters the same PIN.
struct LoggedCardholder: Cardholder {
    let selectedName: [UInt8]?
    /// The applications that were chosen before it and did not run.
    private let refusedNames: [[UInt8]]
    let pinPad: (any PINPad)?

    init(_ conversation: LoggedConversation, tvr: TerminalVerificationResults) {
        selectedName = conversation.finalSelection.flatMap { try? DataElements(parsing: $0.response.data) }?[.dfName]
        refusedNames = conversation.refusedNames
        pinPad =
            tvr.contains(.pinPadNotPresentOrNotWorking)
            ? nil : LoggedPINPad(conversation, isBypassed: tvr.contains(.pinNotEntered))
    }

    func chooseApplication(_ candidates: [Candidate]) async -> Int? {
        for name in refusedNames {
            if let index = candidates.firstIndex(where: { $0.name == name }) { return index }
        }
        return candidates.firstIndex { $0.name == selectedName } ?? 0
    }
}

/// Sends the commands of the log's PIN pad, one try after the other, or one VERIFY without a PIN if
/// the log has none.
actor LoggedPINPad: PINPad {
    /// GET CHALLENGE and VERIFY commands in order.
    private var commands: [CommandAPDU]
    private let isBypassed: Bool

    init(_ conversation: LoggedConversation, isBypassed: Bool) {
        let logged = conversation.commands
        let sent = logged.indices.filter { [.getChallenge, .verify].contains(logged[$0].command.instruction) }.map {
            logged[$0].command
        }
        commands = sent
        self.isBypassed = isBypassed && !sent.contains { $0.instruction == .verify }
    }

    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        isBypassed ? .bypassed : .entered(format: .iso0, pinBlock: [], ksn: [])
    }

    func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        guard !isBypassed else { return .bypassed }
        while let command = commands.first {
            commands.removeFirst()
            let answer = try await card.transmit(command)
            if command.instruction == .verify { return .answered(answer.status) }
            guard answer.status == .success, answer.data.count == 8 else { return .noChallenge }
        }
        return .answered(try await card.transmit(.verify(qualifier: 0x80, [])).status)
    }
}

/// The issuer of a log: its answer is derived from the second GENERATE AC, EXTERNAL AUTHENTICATE
/// and the scripts.
struct LoggedIssuer: OnlineAuthorizer {
    private let answer: OnlineAnswer
    let assumption: String?

    /// - Parameter decisions: The decisions of the log, which contain the issuer's answer if CDOL2
    ///   does not.
    init(_ conversation: LoggedConversation, lists: LoggedLists, decisions: [APDUTrace.Decision]) {
        let recorded = decisions.lazy.compactMap(Self.answer).first
        guard let second = conversation.cryptogramCommands.dropFirst().first else {
            if let recorded {
                answer =
                    recorded.map { code in
                        .answered(
                            IssuerResponse(
                                responseCode: code, authenticationData: Self.authenticationData(conversation, nil)))
                    }
                    ?? .unableToGoOnline
                assumption = nil
                return
            }
            answer = .unableToGoOnline
            let wentOnline =
                conversation.cryptograms.first.flatMap { LoggedCryptogram($0.response) }?.information.type == .arqc
            assumption = wentOnline ? "the log has no second GENERATE AC, so the issuer's answer is unknown" : nil
            return
        }
        let sent = lists.elements(second, isFirst: false)
        let asked = CryptogramType(rawValue: second.p1 & 0xC0)
        if recorded == .some(nil) {
            answer = .unableToGoOnline
            assumption = nil
            return
        }
        let code = sent?[.authorisationResponseCode] ?? recorded.flatMap { $0 }
        if let code, code.last == UInt8(ascii: "3"), [UInt8(ascii: "Y"), UInt8(ascii: "Z")].contains(code[0]) {
            answer = .unableToGoOnline
            assumption = nil
            return
        }
        answer = .answered(
            IssuerResponse(
                responseCode: code ?? Array((asked == .tc ? "00" : "05").utf8),
                authenticationData: Self.authenticationData(conversation, sent), scripts: Self.scripts(conversation)))
        assumption =
            code == nil ? "authorisation response code \(asked == .tc ? "00" : "05"): CDOL2 does not ask for it" : nil
    }

    func authorize(_ request: OnlineRequest) async -> OnlineAnswer { answer }

    private static func authenticationData(_ conversation: LoggedConversation, _ sent: DataElements?) -> [UInt8]? {
        conversation.first(.externalAuthenticate)?.data ?? sent?[.issuerAuthenticationData]
    }

    /// The response code in `decision`; an inner nil means no answer, an outer nil another kind of
    /// decision.
    private static func answer(_ decision: APDUTrace.Decision) -> [UInt8]?? {
        if decision.summary == noAnswer { return .some(nil) }
        guard decision.phase == KernelEvent.Phase.onlineProcessing.rawValue, decision.summary.hasPrefix(answered) else {
            return nil
        }
        return Array(decision.summary.utf8.dropFirst(answered.utf8.count))
    }

    private static let noAnswer = KernelEvent.wentOnline(responseCode: nil).summary
    /// The text before the response code.
    private static let answered = KernelEvent.wentOnline(responseCode: "").summary

    /// The commands between the cryptograms and after the last one that do not come from the
    /// kernel.
    private static func scripts(_ conversation: LoggedConversation) -> [[UInt8]] {
        let logged = conversation.commands
        let positions = logged.indices.filter { logged[$0].command.instruction == .generateAC }
        guard positions.count > 1 else { return [] }
        func script(_ tag: Tag, _ range: Range<Int>) -> [[UInt8]] {
            let commands = logged[range].map(\.command).filter { command -> Bool in
                switch command.instruction {
                case .externalAuthenticate, .getData, .select: false
                default: true
                }
            }
            guard !commands.isEmpty else { return [] }
            return [tlv(tag) { builder in for command in commands { builder.append(.command, command.bytes) } }]
        }
        return script(.issuerScriptTemplate1, positions[0] + 1..<positions[1])
            + script(.issuerScriptTemplate2, positions[1] + 1..<logged.count)
    }
}
