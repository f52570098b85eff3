import Bytes
import CardCryptography
import EMVKernel
import SmartCard
import TLV
import VirtualCard

/// Approves what comes with the right response cryptogram, and sends scripts that the card carries
/// out.
struct ScriptingIssuer: OnlineAuthorizer {
    let card: PersonalizedCard
    let kind: ConversationKind

    func authorize(_ request: OnlineRequest) async -> OnlineAnswer {
        guard kind.undisturbed == .approved(.online) else { return .unableToGoOnline }
        var response = IssuerResponse(responseCode: Array("00".utf8))
        if let (authenticationData, scripts) = try? answer(request.data) {
            response.authenticationData = authenticationData
            response.scripts = kind == .issuerScript ? scripts : []
        }
        return .answered(response)
    }

    /// Tag `91` and the scripts for what the card says of itself; whether its cryptogram is right
    /// does not matter here.
    private func answer(_ data: TransactionData) throws(CryptogramError) -> (
        authenticationData: [UInt8], scripts: [[UInt8]]
    ) {
        let profile = card.profile
        let version = profile.cryptograms.version
        guard let account = AccountNumber(ascii: profile.account.pan.revealed()),
            let arqc = data[.applicationCryptogram],
            let counter = data[.applicationTransactionCounter], counter.count == 2,
            let number = data[.unpredictableNumber],
            let scheme = version.secureMessaging
        else { throw .cipher }
        let atc = UInt16(counter[0]) << 8 | UInt16(counter[1])
        let keys = try profile.issuerMasterKeys.cardKeys(
            by: version.masterKeyDerivation, pan: account, panSequenceNumber: profile.account.panSequenceNumber)
        let key = try version.sessionKeyDerivation.sessionKey(
            from: keys.applicationCryptogram, atc: atc, unpredictableNumber: number)
        var messaging = try SecureMessaging(scheme: scheme, cardKeys: keys, atc: atc, applicationCryptogram: arqc)
        return (try authenticationData(arqc, version, key), try scripts(&messaging))
    }

    private func authenticationData(
        _ arqc: [UInt8], _ version: CryptogramVersion, _ key: CardKey
    ) throws(CryptogramError) -> [UInt8] {
        switch version.responseMethod {
        case .method1:
            let code = Array("00".utf8)
            return IssuerAuthenticationData.method1(
                arpc: try AuthorisationResponseCryptogram.method1(arqc: arqc, responseCode: code, key: key),
                responseCode: code
            ).bytes
        case .method2:
            let update: [UInt8] = [0, 0x80, 0, 0]
            return IssuerAuthenticationData.method2(
                arpc: try AuthorisationResponseCryptogram.method2(arqc: arqc, cardStatusUpdate: update, key: key),
                cardStatusUpdate: update,
                proprietaryData: []
            ).bytes
        }
    }

    /// PIN UNBLOCK before the second cryptogram, APPLICATION BLOCK and UNBLOCK after it.
    private func scripts(_ messaging: inout SecureMessaging) throws(CryptogramError) -> [[UInt8]] {
        var templates: [[UInt8]] = []
        for (template, instructions) in [
            (Tag.issuerScriptTemplate1, [Instruction.pinChangeUnblock]),
            (.issuerScriptTemplate2, [.applicationBlock, .applicationUnblock]),
        ] {
            var contents = TLVBuilder()
            contents.append(.issuerScriptIdentifier, [1, 2, 3, 4])
            for instruction in instructions {
                var command = CommandAPDU(cla: 0x80 | messaging.scheme.classIndication, ins: instruction.rawValue)
                command.data = try messaging.protect(header: command.header, data: [])
                contents.append(.command, command.bytes)
            }
            templates.append(tlv(template, contents.bytes))
        }
        return templates
    }
}
