import SmartCard
import TLV

/// Issuer-to-card script processing (EMV 4.4 Book 3, 10.10; Book 4, 6.3.9).
extension ContactTransaction {
    /// Sends the scripts that are for before (`71`) or after (`72`) the second GENERATE AC; what fails goes to the TVR and the script results only.
    mutating func processScripts(beforeFinalCryptogram isBefore: Bool) async {
        let templates = (response?.scripts ?? []).filter { ($0.first == 0x71) == isBefore }
        guard !templates.isEmpty else { return }
        tsi.insert(.scriptProcessing)
        let fits = (response?.scripts ?? []).reduce(0) { $0 + $1.count } <= IssuerScript.maximumTotalLength
        for template in templates {
            let result: ScriptResult
            if fits, let script = IssuerScript(template) {
                result = await perform(script)
            } else {
                result = ScriptResult(isBeforeFinalCryptogram: isBefore, identifier: [0, 0, 0, 0], end: .notPerformed, failedCommand: 0)
            }
            if result.end != .successful {
                tvr.insert(isBefore ? .scriptFailedBeforeFinalGenerateAC : .scriptFailedAfterFinalGenerateAC)
            }
            data.terminal[.issuerScriptResults] = (data.terminal[.issuerScriptResults] ?? []) + result.bytes
            observe?(.issuerScript(result))
        }
    }

    /// Sends the commands in order; 9000, 62xx and 63xx go on, anything else ends the script. So does a card that is gone: before the final
    /// GENERATE AC that command will tell, after it the transaction is decided.
    private func perform(_ script: IssuerScript) async -> ScriptResult {
        func result(_ end: ScriptResult.End, failedCommand: Int = 0) -> ScriptResult {
            ScriptResult(
                isBeforeFinalCryptogram: script.isBeforeFinalCryptogram, identifier: script.identifier, end: end,
                failedCommand: failedCommand)
        }
        for (index, command) in script.commands.enumerated() {
            guard let command, let status = try? await card.transmit(command).status, status == .success || status.isWarning else {
                return result(.failed, failedCommand: index + 1)
            }
        }
        return result(.successful)
    }
}
