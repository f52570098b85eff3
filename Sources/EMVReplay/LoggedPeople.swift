import Bytes
import EMVKernel
import SmartCard
import TLV

/// The cardholder of a log: chooses the application that was chosen and enters the PIN that was entered.
struct LoggedCardholder: Cardholder {
    let selectedName: [UInt8]?
    let pinPad: (any PINPad)?

    init(_ conversation: LoggedConversation, tvr: TerminalVerificationResults) {
        selectedName = conversation.finalSelection.flatMap { try? DataElements(parsing: $0.response.data) }?[.dfName]
        pinPad = tvr.contains(.pinPadNotPresentOrNotWorking) ? nil : LoggedPINPad(conversation, isBypassed: tvr.contains(.pinNotEntered))
    }

    func chooseApplication(_ candidates: [Candidate]) async -> Int? {
        candidates.firstIndex { $0.name == selectedName } ?? 0
    }
}

/// Sends what the log's PIN pad sent, one try after the other, or one VERIFY without a PIN where the log has none.
actor LoggedPINPad: PINPad {
    /// GET CHALLENGE and VERIFY in their order.
    private var commands: [CommandAPDU]
    private let isBypassed: Bool

    init(_ conversation: LoggedConversation, isBypassed: Bool) {
        let sent = conversation.exchanges.map(\.command).filter { [.getChallenge, .verify].contains($0.instruction) }
        commands = sent
        self.isBypassed = isBypassed && !sent.contains { $0.instruction == .verify }
    }

    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        isBypassed ? .bypassed : .entered(pinBlock: [], ksn: [])
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

/// The issuer of a log: answers as the second GENERATE AC, EXTERNAL AUTHENTICATE and the scripts in it show.
struct LoggedIssuer: OnlineAuthorizer {
    private let answer: OnlineAnswer
    let assumption: String?

    init(_ conversation: LoggedConversation, lists: LoggedLists) {
        guard conversation.cryptograms.count > 1, let second = conversation.cryptograms.dropFirst().first else {
            answer = .unableToGoOnline
            let wentOnline = conversation.cryptograms.first.flatMap { LoggedCryptogram($0.response) }?.information.type == .arqc
            assumption = wentOnline ? "the log has no second GENERATE AC, so the issuer's answer is not known" : nil
            return
        }
        let sent = lists.elements(second.command, isFirst: false)
        let asked = CryptogramType(rawValue: second.command.p1 & 0xC0)
        let code = sent?[.authorisationResponseCode]
        if let code, code.last == UInt8(ascii: "3"), [UInt8(ascii: "Y"), UInt8(ascii: "Z")].contains(code[0]) {
            answer = .unableToGoOnline
            assumption = nil
            return
        }
        let external = conversation.first(.externalAuthenticate)?.command.data
        answer = .answered(
            IssuerResponse(
                responseCode: code ?? Array((asked == .tc ? "00" : "05").utf8),
                authenticationData: external ?? sent?[.issuerAuthenticationData], scripts: Self.scripts(conversation)))
        assumption = code == nil ? "authorisation response code \(asked == .tc ? "00" : "05"): CDOL2 does not ask for it" : nil
    }

    func authorize(_ request: OnlineRequest) async -> OnlineAnswer { answer }

    /// The commands between the cryptograms and after the last one that are none of the kernel's own.
    private static func scripts(_ conversation: LoggedConversation) -> [[UInt8]] {
        let positions = conversation.exchanges.indices.filter { conversation.exchanges[$0].command.instruction == .generateAC }
        guard positions.count > 1 else { return [] }
        func script(_ tag: Tag, _ range: Range<Int>) -> [[UInt8]] {
            let commands = conversation.exchanges[range].map(\.command).filter {
                $0.instruction != .externalAuthenticate && $0.instruction != .getData && $0.instruction != .select
            }
            guard !commands.isEmpty else { return [] }
            return [tlv(tag) { builder in for command in commands { builder.append(.command, command.bytes) } }]
        }
        return script(.issuerScriptTemplate1, positions[0] + 1..<positions[1])
            + script(.issuerScriptTemplate2, positions[1] + 1..<conversation.exchanges.count)
    }
}
