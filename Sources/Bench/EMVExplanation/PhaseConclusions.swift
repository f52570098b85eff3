import Bytes
import EMVKernel
import EMVReplay
import SmartCard
import TLV

/// The results of each phase, as far as commands, answers and keys show them.
struct PhaseConclusions {
    private let transaction: LoggedTransaction
    private let evidence: [Evidence]

    init(_ transaction: LoggedTransaction, _ evidence: [Evidence]) {
        self.transaction = transaction
        self.evidence = evidence
    }

    func lines(_ phase: KernelEvent.Phase) -> [String] {
        switch phase {
        case .applicationSelection: selection
        case .initiateApplication: initiation
        case .readApplicationData: reading
        case .dataAuthentication: dataAuthentication
        case .processingRestrictions: found(byte: 2)
        case .cardholderVerification: verification
        case .riskManagement: found(byte: 4)
        case .actionAnalysis: actionAnalysis
        case .cardActionAnalysis: cardAnswer(transaction.first)
        case .onlineProcessing: online
        case .issuerScripts: []
        case .completion: cardAnswer(transaction.second)
        }
    }

    /// The reasons for the outcome, in the order of the phases.
    var reasons: [String] {
        dataAuthentication + verification + found(byte: 2).filter { $0 != Self.nothing } + actionAnalysis
            + cardAnswer(transaction.first)
            + online
            + cardAnswer(transaction.second)
    }

    private static let nothing = "The terminal found nothing."

    /// The names of the bits, which a kernel may use for itself.
    private func meanings(_ tvr: TerminalVerificationResults) -> [String] {
        guard transaction.context.kernel != nil, !tvr.isEmpty else { return tvr.meanings }
        return ValueDescription.lines(.terminalVerificationResults, tvr.bytes, in: transaction.context)
    }

    // MARK: Phases

    private var selection: [String] {
        guard transaction.conversation.finalSelection != nil, let aid = transaction.aid else { return [] }
        let air =
            transaction.interface == .contactless
            ? ", contactless" + (transaction.kernel.map { ", kernel \($0)" } ?? "") : ""
        return ["Selected: \(transaction.cardName.isEmpty ? "" : transaction.cardName + ", ")AID \(aid.hex)\(air)."]
    }

    private var initiation: [String] {
        guard let options = transaction.conversation.exchange(.getProcessingOptions) else { return [] }
        guard options.response.status == .success else { return ["The application did not start."] }
        guard transaction.card.contains(.applicationInterchangeProfile) else {
            return ["The answer has no application interchange profile: a kernel terminates."]
        }
        guard let list = transaction.card[.applicationFileLocator] else {
            return ["The answer has no application file locator: no record is to be read."]
        }
        guard let records = ApplicationFileLocator(list)?.entries else {
            return ["The application file locator is invalid."]
        }
        let count = records.reduce(0) { $0 + $1.records.count }
        return ["The application is to be read from \(counted(count, "record")) in \(counted(records.count, "file"))."]
            + (transaction.isVisaMagstripe
                ? ["Mag-stripe mode (MSD): the card gives its track and no cryptogram."] : [])
    }

    private var reading: [String] {
        guard let locator = transaction.card[.applicationFileLocator].flatMap(ApplicationFileLocator.init) else {
            return []
        }
        let signed = locator.entries.reduce(0) { $0 + Int($1.authenticatedCount) }
        if signed == 0 { return ["No record is to be authenticated offline."] }
        return ["\(counted(signed, "record")) \(signed == 1 ? "is" : "are") to be authenticated offline."]
    }

    private var dataAuthentication: [String] {
        guard let tvr = transaction.firstTVR, transaction.first?.requested != nil else { return proofs }
        let failed = tvr.intersection([.sdaFailed, .ddaFailed, .cdaFailed, .xdaSignatureFailed, .iccDataMissing])
        if tvr.contains(.offlineDataAuthenticationNotPerformed) {
            return ["Offline data authentication: not performed by the terminal."] + proofs
        }
        if !failed.isEmpty {
            return ["Offline data authentication: \(meanings(failed).joined(separator: "; "))."] + proofs
        }
        let last = transaction.lastTVR?.intersection([.cdaFailed, .xdaSignatureFailed]) ?? []
        if !last.isEmpty {
            return [
                "Offline data authentication: \(meanings(last).joined(separator: "; ")), found with the cryptogram."
            ] + proofs
        }
        let method = tvr.contains(.sdaSelected) ? "SDA" : tvr.contains(.xdaSelected) ? "XDA" : method
        return ["Offline data authentication: \(method), no failure seen by the terminal."] + proofs
    }

    private var method: String {
        let control = transaction.first?.exchange.command.p1 ?? 0
        if control & 0x18 == 0x10 { return "CDA" }
        return transaction.conversation.exchange(.internalAuthenticate) == nil ? "performed" : "DDA"
    }

    /// The results of the signatures that the given keys can check.
    private var proofs: [String] {
        let signatures = evidence.filter { $0.kind == .dataAuthentication }
        let right = signatures.filter(\.isVerified).map(\.subject)
        return (right.isEmpty ? [] : ["Checked with the available keys: \(right.joined(separator: ", ")) right."])
            + signatures.filter(\.isDisproved).map {
                "Checked with the available keys: \($0.subject) failed: \($0.detail)."
            }
            + signatures.filter { !$0.isVerified && !$0.isDisproved }.map {
                "Not checked: \($0.subject): \($0.detail)."
            }
    }

    private var verification: [String] {
        let tvr = transaction.firstTVR ?? []
        let failures: TerminalVerificationResults = [
            .cardholderVerificationFailed, .unrecognizedCVM, .pinTryLimitExceeded, .pinPadNotPresentOrNotWorking,
            .pinNotEntered,
        ]
        let failed = tvr.intersection(failures)
        let found = failed.isEmpty ? "" : " (\(meanings(failed).joined(separator: "; ")))"
        if let results = transaction.sent(.cvmResults).flatMap(CVMResults.init) {
            let words =
                ValueDescription.lines(.cvmResults, results.bytes, in: transaction.context).first ?? results.summary
            return ["Cardholder verification: \(words)\(found)."]
        }
        if let qualifiers = transaction.qualifiers { return [qualifiersConclusion(qualifiers)] }
        if tvr.contains(.onlineCVMCaptured) { return ["Cardholder verification: PIN for the issuer\(found)."] }
        if let verify = transaction.conversation.exchanges.last(where: { $0.command.instruction == .verify }) {
            let words = verify.response.status.meaning(for: verify.command) ?? verify.response.status.summary
            return ["Cardholder verification: offline PIN, \(words)\(found)."]
        }
        if !failed.isEmpty { return ["Cardholder verification: \(meanings(failed).joined(separator: "; "))."] }
        if transaction.kernel != 8, let profile = transaction.profile,
            !profile.contains(.cardholderVerificationSupported),
            transaction.first?.requested != nil
        {
            return ["Cardholder verification: the card does not support it."]
        }
        return []
    }

    /// From the card transaction qualifiers of kernels 3 and 7 (EMV Contactless Book C-3, 5.7).
    private func qualifiersConclusion(_ qualifiers: CardTransactionQualifiers) -> String {
        if qualifiers.contains(.consumerDeviceCVMPerformed) {
            return "Cardholder verification: performed on the consumer's device."
        }
        if qualifiers.contains(.onlinePINRequired) {
            return "Cardholder verification: the card requires an online PIN."
        }
        if qualifiers.contains(.signatureRequired) { return "Cardholder verification: the card requires a signature." }
        return "Cardholder verification: the card requires none."
    }

    /// The bits that the terminal set in `byte` of the TVR.
    private func found(byte: Int) -> [String] {
        guard let tvr = transaction.firstTVR, transaction.first?.requested != nil else { return [] }
        let words = meanings(TerminalVerificationResults(rawValue: tvr.rawValue & (0xFF << (8 * (5 - byte)))))
        return words.isEmpty ? [Self.nothing] : ["The terminal found: \(words.joined(separator: "; "))."]
    }

    private var actionAnalysis: [String] {
        guard let tvr = transaction.firstTVR, let requested = transaction.first?.requested else { return [] }
        let asked = "The terminal asked for \(requested == .tc ? "a" : "an") \(requested.summary)"
        guard requested != .tc else {
            return [
                tvr.isEmpty ? "\(asked): its TVR has no bit set." : "\(asked): no action code names a bit of its TVR."
            ]
        }
        let name = requested == .aac ? "denial" : "online"
        let decisive = decisive(tvr, requested)
        if !decisive.isEmpty {
            return [
                "\(asked): \(decisive.map { "the \($0.0) action code \(name) names \(quoted($0.1))" }.joined(separator: ", "))."
            ]
        }
        if tvr.isEmpty {
            return [
                "\(asked), although its TVR has no bit set: it is an online-only terminal, or has reasons of its own."
            ]
        }
        if transaction.terminalActionCodes != nil {
            return [
                "\(asked): no bit of its TVR is in an action code \(name); it is an online-only terminal, or has reasons of its own."
            ]
        }
        return ["\(asked): no bit of its TVR is in the issuer action code \(name), so it is one in the terminal's own."]
    }

    /// The bits of the TVR that an action code names, by the owner of the code.
    private func decisive(
        _ tvr: TerminalVerificationResults, _ requested: CryptogramType
    ) -> [(owner: String, bits: TerminalVerificationResults)] {
        let codes = [
            ("issuer", ActionAnalysis.issuerActionCodes(transaction.card)),
            ("terminal", transaction.terminalActionCodes),
        ]
        return codes.compactMap { owner, codes in
            codes.map { (owner, tvr.intersection(requested == .aac ? $0.denial : $0.online)) }
        }.filter { !$0.1.isEmpty }
    }

    /// Why the terminal declined: the bits of its TVR that an action code for a denial names, else
    /// all that it found.
    var causes: [String] {
        guard let tvr = transaction.firstTVR, transaction.first?.requested == .aac else { return [] }
        let named = decisive(tvr, .aac).reduce(into: TerminalVerificationResults()) { $0.formUnion($1.bits) }
        return meanings(named.isEmpty ? tvr : named)
    }

    private func cardAnswer(_ cryptogram: LoggedTransaction.Cryptogram?) -> [String] {
        guard let cryptogram else { return [] }
        guard let answer = cryptogram.answer else {
            let status = cryptogram.exchange.response.status
            return ["The card gave no cryptogram: \(status) \(status.summary)."]
        }
        let information = answer.information.meanings.joined(separator: ", ")
        guard let requested = cryptogram.requested else {
            return ["With its processing options the card gave \(information)."]
        }
        let same = requested == answer.information.type
        return [
            "The card was asked for \(requested == .tc ? "a" : "an") \(requested.name) and gave \(same ? "it" : information)\(same ? "" : " instead")."
        ]
    }

    private var online: [String] {
        guard transaction.second != nil || transaction.conversation.exchange(.externalAuthenticate) != nil else {
            return []
        }
        var lines: [String] = []
        if let code = transaction.second?.sent?[.authorisationResponseCode] {
            let words = ValueDescription.lines(.authorisationResponseCode, code).first ?? code.hex
            lines.append(
                transaction.isUnableToGoOnline
                    ? "The issuer was unreachable: the terminal decided \(words)." : "The issuer answered \(words).")
        }
        if let external = transaction.conversation.exchange(.externalAuthenticate) {
            let meaning = external.response.status.meaning(for: external.command) ?? ""
            lines.append("EXTERNAL AUTHENTICATE was answered \(external.response.status): \(meaning).")
        }
        if let proof = evidence.first(where: { $0.kind == .issuerAnswer }) {
            lines.append(
                "The ARPC that the card was given \(proof.isVerified ? "is the issuer's" : "is not the issuer's").")
        }
        let tvr = transaction.lastTVR ?? []
        let failures = tvr.intersection([.issuerAuthenticationFailed, .scriptFailedBeforeFinalGenerateAC])
        if !failures.isEmpty { lines.append("The terminal noted: \(meanings(failures).joined(separator: "; ")).") }
        return lines
    }

    // MARK: Words

    private func quoted(_ bits: TerminalVerificationResults) -> String {
        meanings(bits).map { "“\($0)”" }.joined(separator: ", ")
    }
}
