import TLV

/// Terminal action analysis (EMV 4.4 Book 3, 10.7).
extension ContactTransaction {
    /// The request of the first GENERATE AC. If the terminal decides by itself, it sets the
    /// authorisation response code (Book 4, 6.3.6).
    mutating func analyzeTerminalActions(_ application: ApplicationConfiguration) -> CryptogramType {
        let analysis = ActionAnalysis.first(
            tvr, terminal: application.actionCodes, issuer: issuerActionCodes, type: configuration.type)
        observe?(.actionAnalysis(analysis))
        switch analysis.request {
        case .tc: data.terminal[.authorisationResponseCode] = TerminalResponseCode.offlineApproved
        case .aac: data.terminal[.authorisationResponseCode] = TerminalResponseCode.offlineDeclined
        case .arqc: data.terminal[.authorisationResponseCode] = nil
        }
        return analysis.request
    }

    /// The request of the second GENERATE AC if the issuer cannot be reached (Book 4, 12.2.1).
    func analyzeWithoutIssuer(_ application: ApplicationConfiguration) -> ActionAnalysis {
        let analysis = ActionAnalysis.withoutIssuer(
            tvr, terminal: application.actionCodes, issuer: issuerActionCodes, type: configuration.type)
        observe?(.actionAnalysis(analysis))
        return analysis
    }

    var issuerActionCodes: ActionCodes { ActionAnalysis.issuerActionCodes(data.card) }
}
