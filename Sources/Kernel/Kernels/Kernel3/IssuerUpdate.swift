import EMVKernel
import SmartCard
import TLV

/// The issuer's commands to a card that is presented again: EXTERNAL AUTHENTICATE, then the
/// commands of its scripts (EMV Contactless Book C-3; EMV 4.4 Book 3, 10.9 and 10.10).
///
/// It does not change the issuer's decision. A script ends at its first command that fails; the
/// next script is still performed.
struct IssuerUpdate {
    private enum Item {
        case authentication(CommandAPDU)
        case script(ScriptTemplate, nextCommand: Int)
        /// Malformed, or beyond the length limit of the terminal.
        case unusable(isBeforeFinalCryptogram: Bool, identifier: [UInt8])
    }

    let responseCode: String
    private var items: [Item]
    private var scriptResults: [ScriptResult] = []
    private var authenticationSucceeded: Bool?

    init(_ response: IssuerResponse, maximumScriptLength: Int) {
        responseCode = String(decoding: response.responseCode, as: UTF8.self)
        items = []
        // A tag 91 outside 8 to 16 bytes cannot be sent (EMV 4.4 Book 3, table 9).
        if let data = response.authenticationData, !data.isEmpty {
            if (8...16).contains(data.count) {
                items.append(.authentication(.externalAuthenticate(data)))
            } else {
                authenticationSucceeded = false
            }
        }
        var length = 0
        let isFirst = { (script: [UInt8]) in script.first == 0x71 }
        for template in response.scripts.filter(isFirst) + response.scripts.filter({ !isFirst($0) }) {
            let isWithin = length + template.count <= maximumScriptLength
            if isWithin, let script = ScriptTemplate(template) {
                length += template.count
                items.append(.script(script, nextCommand: 0))
            } else {
                items.append(
                    .unusable(
                        isBeforeFinalCryptogram: isFirst(template), identifier: ScriptTemplate.identifier(of: template))
                )
            }
        }
        settle()
    }

    /// The next command; nil when all is done.
    var command: CommandAPDU? {
        switch items.first {
        case .authentication(let command): command
        case .script(let script, let next): script.commands[next]
        case .unusable, nil: nil
        }
    }

    mutating func take(_ answer: ResponseAPDU) {
        switch items.first {
        case .authentication:
            authenticationSucceeded = answer.status == .success
            items.removeFirst()
        case .script(let script, let next):
            if answer.status.sw1 == 0x90 || answer.status.isWarning {
                items[0] = .script(script, nextCommand: next + 1)
            } else {
                finish(script, .failed, failedCommand: next + 1)
            }
        case .unusable, nil: break
        }
        settle()
    }

    /// There is no answer to ``command``: it failed, and the remaining commands are not sent.
    mutating func abandon() {
        for (position, item) in items.enumerated() {
            switch item {
            case .authentication: authenticationSucceeded = false
            case .script(let script, let next):
                if position == 0 {
                    append(script.isBeforeFinalCryptogram, script.identifier, .failed, failedCommand: next + 1)
                } else {
                    append(script.isBeforeFinalCryptogram, script.identifier, .notPerformed)
                }
            case .unusable(let isBefore, let identifier): append(isBefore, identifier, .notPerformed)
            }
        }
        items = []
    }

    /// Tags `9F5B` and `95`, as far as they apply.
    var results: DataElements {
        var results = DataElements()
        var tvr: TerminalVerificationResults = []
        if authenticationSucceeded == false { tvr.insert(.issuerAuthenticationFailed) }
        for result in scriptResults where result.end != .successful {
            tvr.insert(
                result.isBeforeFinalCryptogram ? .scriptFailedBeforeFinalGenerateAC : .scriptFailedAfterFinalGenerateAC)
        }
        results[.terminalVerificationResults] = tvr.bytes
        if !scriptResults.isEmpty { results[.issuerScriptResults] = scriptResults.flatMap(\.bytes) }
        return results
    }

    /// Continues to the next part with a command to send.
    private mutating func settle() {
        while let item = items.first {
            switch item {
            case .authentication: return
            case .unusable(let isBefore, let identifier):
                items.removeFirst()
                append(isBefore, identifier, .notPerformed)
            case .script(let script, let next):
                guard next < script.commands.count else {
                    finish(script, .successful)
                    continue
                }
                guard script.commands[next] == nil else { return }
                finish(script, .failed, failedCommand: next + 1)
            }
        }
    }

    private mutating func finish(_ script: ScriptTemplate, _ end: ScriptResult.End, failedCommand: Int = 0) {
        items.removeFirst()
        append(script.isBeforeFinalCryptogram, script.identifier, end, failedCommand: failedCommand)
    }

    private mutating func append(
        _ isBefore: Bool, _ identifier: [UInt8], _ end: ScriptResult.End, failedCommand: Int = 0
    ) {
        scriptResults.append(
            ScriptResult(
                isBeforeFinalCryptogram: isBefore, identifier: identifier, end: end, failedCommand: failedCommand))
    }
}
