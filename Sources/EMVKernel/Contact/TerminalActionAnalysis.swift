import TLV

/// Terminal action analysis (EMV 4.4 Book 3, 10.7).
extension ContactTransaction {
    mutating func analyseTerminalActions(_ application: ApplicationConfiguration, canGoOnline: Bool) -> ActionAnalysis {
        let analysis = ActionAnalysis.decide(
            tvr, terminal: application.actionCodes, issuer: ActionAnalysis.issuerActionCodes(data.card), type: configuration.type,
            canGoOnline: canGoOnline)
        observe?(.actionAnalysis(analysis))
        return analysis
    }
}
