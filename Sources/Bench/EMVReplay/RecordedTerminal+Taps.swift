import CardCryptography
package import Contactless
package import EMVKernel
import Kernels
import TLV

extension RecordedTerminal {
    /// The terminal of a tap. Its limits are not written down: a replay derives those that explain
    /// what the card was sent.
    ///
    /// - Parameter application: The AID of the combination that ran; nil if none did.
    package init(_ reader: EntryPointConfiguration, request: TransactionRequest, application: [UInt8]?) {
        var terminal = reader.terminal
        terminal.applications = []
        let combination = reader.combinations.first { $0.aid == application }
        if let combination, let kernel = combination.kernel as? Kernel2Configuration {
            let methods =
                request.amount > kernel.cvmRequiredLimit ? kernel.verificationAboveLimit : kernel.verificationBelowLimit
            terminal.capabilities = terminal.capabilities.verifying(methods)
            terminal.applications = [
                ApplicationConfiguration(
                    aid: combination.aid, versions: kernel.versions, actionCodes: kernel.actionCodes)
            ]
        }
        if let combination, let kernel = combination.kernel as? Kernel4Configuration {
            let isAbove = combination.limits.cvmRequiredLimit.map { request.amount >= $0 } ?? false
            terminal.capabilities = terminal.capabilities.verifying(
                isAbove ? kernel.verificationAboveLimit : kernel.verificationBelowLimit)
            terminal.applications = [
                ApplicationConfiguration(
                    aid: combination.aid, versions: kernel.versions, actionCodes: kernel.actionCodes)
            ]
        }
        if let combination, let kernel = combination.kernel as? Kernel8Configuration {
            let codes = ActionCodes(denial: kernel.denialActionCode, online: kernel.onlineActionCode, default: [])
            terminal.applications = [ApplicationConfiguration(aid: combination.aid, versions: [], actionCodes: codes)]
        }
        if let application { terminal.caKeys = terminal.caKeys.filter { application.starts(with: $0.rid) } }
        self.init(configuration: terminal, request: request)
    }
}

extension TerminalCapabilities {
    /// With byte 2, the methods of verification, from `methods`.
    fileprivate func verifying(_ methods: TerminalCapabilities) -> TerminalCapabilities {
        TerminalCapabilities(rawValue: rawValue & 0xFF00FF | methods.rawValue & 0x00FF00)
    }
}
