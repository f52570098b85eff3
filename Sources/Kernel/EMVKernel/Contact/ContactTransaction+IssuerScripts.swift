import SmartCard
import TLV

/// Issuer-to-card script processing (EMV 4.4 Book 3, 10.10; Book 4, 6.3.9).
extension ContactTransaction {
    /// Sends the scripts for before (`71`) or after (`72`) the second GENERATE AC. A failure
    /// affects only the TVR and the script results.
    mutating func processScripts(beforeFinalCryptogram isBefore: Bool) async {
        let templates = (response?.scripts ?? []).filter { ($0.first == 0x71) == isBefore }
        guard !templates.isEmpty else { return }
        tsi.insert(.scriptProcessing)
        for template in templates {
            scriptLength += template.count
            let result: ScriptResult
            if scriptLength <= configuration.maximumScriptLength, let script = ScriptTemplate(template) {
                result = await perform(script)
            } else {
                // A script beyond the limit is not performed. Scripts before it were performed, and
                // shorter ones after it will be (Book 4, 12.2.4).
                if scriptLength > configuration.maximumScriptLength { scriptLength -= template.count }
                result = ScriptResult(
                    isBeforeFinalCryptogram: isBefore, identifier: ScriptTemplate.identifier(of: template),
                    end: .notPerformed,
                    failedCommand: 0)
            }
            if result.end != .successful {
                tvr.insert(isBefore ? .scriptFailedBeforeFinalGenerateAC : .scriptFailedAfterFinalGenerateAC)
            }
            data.terminal[.issuerScriptResults] = (data.terminal[.issuerScriptResults] ?? []) + result.bytes
            observe?(.issuerScript(result))
        }
    }

    /// Sends the commands in order; SW1 90, 62 and 63 continue, any other ends the script (Book 3,
    /// 10.10). A removed card also ends the script: before the final GENERATE AC that command will
    /// fail, after it the transaction is already decided.
    private func perform(_ script: ScriptTemplate) async -> ScriptResult {
        func result(_ end: ScriptResult.End, failedCommand: Int = 0) -> ScriptResult {
            ScriptResult(
                isBeforeFinalCryptogram: script.isBeforeFinalCryptogram, identifier: script.identifier, end: end,
                failedCommand: failedCommand)
        }
        for (index, command) in script.commands.enumerated() {
            guard let command, let status = try? await card.transmit(command).status,
                status.sw1 == 0x90 || status.isWarning
            else {
                return result(.failed, failedCommand: index + 1)
            }
        }
        return result(.successful)
    }
}
