public import TLV

/// A step of the kernel, reported when it happens, for a screen, a log or a comparison. No event
/// carries card data.
public enum KernelEvent: Sendable, Equatable {
    /// The applications that card and terminal have in common,
    /// highest priority first; empty without a common application.
    case candidatesFound([Candidate])
    /// SELECT of this application succeeded; GET PROCESSING OPTIONS comes next.
    case applicationSelected(Candidate)
    /// The selected application does not run, and the selection is repeated.
    case applicationStruckOff(Candidate)
    /// From now on, the cardholder sees messages in this language.
    case languageSelected(Language)
    /// The card's answer to GET PROCESSING OPTIONS: AIP, tag `82`, and AFL, tag `94`.
    case processingOptions(ApplicationInterchangeProfile, ApplicationFileLocator)
    /// All records of the AFL were read; `authenticatedBytes`
    /// are those to be authenticated offline.
    case recordsRead(count: Int, authenticatedBytes: Int)
    /// The method, nil if card and terminal share none; the failure, nil if there is none so far.
    case dataAuthentication(DataAuthenticationMethod?, DataAuthenticationFailure?)
    /// A replay without the authority's key: the log's result is used.
    case dataAuthenticationNotChecked(DataAuthenticationMethod, DataAuthenticationFailure)
    /// The bits of the TVR that the processing restrictions have set (10.4).
    case processingRestrictions(TerminalVerificationResults)
    /// The rules that were evaluated, in order, and tag `9F34`.
    case cardholderVerification([CVMAttempt], CVMResults)
    /// The bits of the TVR that terminal risk management has set (10.6).
    case riskManagement(TerminalVerificationResults)
    /// What the terminal requests from the card, and why; repeated if a later check changes it to
    /// an AAC.
    case actionAnalysis(ActionAnalysis)
    /// An answer to GENERATE AC: the requested type, and the card's CID, tag `9F27`.
    case cryptogram(requested: CryptogramType, answered: CryptogramInformationData)
    /// The card's signature on its cryptogram, if CDA or XDA was requested; nil if it is valid.
    case combinedSignature(DataAuthenticationFailure?)
    /// Tag `8A` as the issuer sent it; nil if there was no usable answer.
    case wentOnline(responseCode: String?)
    /// The card's answer to EXTERNAL AUTHENTICATE with the issuer's tag `91`.
    case issuerAuthentication(succeeded: Bool)
    /// A script of the issuer was sent, or skipped.
    case issuerScript(ScriptResult)
    /// The transaction is over; always the last event.
    case completed(Outcome.Decision)

    /// The phases of a contact transaction in their order (EMV 4.4 Book 3, 8.2).
    public enum Phase: String, Sendable, CaseIterable {
        /// The card's directory or the terminal's list of AIDs, and SELECT (EMV 4.4 Book 1, 12).
        case applicationSelection = "Application selection"
        /// GET PROCESSING OPTIONS (10.1).
        case initiateApplication = "Initiate application processing"
        /// READ RECORD for each record of the AFL (10.2).
        case readApplicationData = "Read application data"
        /// SDA, DDA, CDA or XDA (10.3).
        case dataAuthentication = "Offline data authentication"
        /// Version, usage control and dates of the application (10.4).
        case processingRestrictions = "Processing restrictions"
        /// The CVM list: PIN, signature or none (10.5).
        case cardholderVerification = "Cardholder verification"
        /// Floor limit, random selection and velocity checking (10.6).
        case riskManagement = "Terminal risk management"
        /// TVR against action codes (10.7).
        case actionAnalysis = "Terminal action analysis"
        /// The first GENERATE AC (10.8).
        case cardActionAnalysis = "Card action analysis"
        /// Authorization by the issuer, and its authentication by the card (10.9).
        case onlineProcessing = "Online processing"
        /// Templates `71` and `72` (10.10).
        case issuerScripts = "Issuer-to-card script processing"
        /// The second GENERATE AC and the decision (10.11).
        case completion = "Completion"
    }

    /// The phase that the event belongs to, to group a log by.
    public var phase: Phase {
        switch self {
        case .candidatesFound, .applicationSelected, .applicationStruckOff, .languageSelected: .applicationSelection
        case .processingOptions: .initiateApplication
        case .recordsRead: .readApplicationData
        case .dataAuthentication, .dataAuthenticationNotChecked: .dataAuthentication
        case .processingRestrictions: .processingRestrictions
        case .cardholderVerification: .cardholderVerification
        case .riskManagement: .riskManagement
        case .actionAnalysis: .actionAnalysis
        case .cryptogram, .combinedSignature: .cardActionAnalysis
        case .wentOnline, .issuerAuthentication: .onlineProcessing
        case .issuerScript: .issuerScripts
        case .completed: .completion
        }
    }

    /// The result in one line.
    public var summary: String {
        switch self {
        case .candidatesFound(let candidates):
            switch candidates.count {
            case 0: "no candidate"
            case 1: "1 candidate: \(candidates[0])"
            default: "\(candidates.count) candidates: " + candidates.map(\.description).joined(separator: ", ")
            }
        case .applicationSelected(let candidate): "selected \(candidate)"
        case .applicationStruckOff(let candidate): "struck off \(candidate)"
        case .languageSelected(let language): "language \(language)"
        case .processingOptions(let aip, let afl):
            "AIP \(aip), \(afl.entries.reduce(0) { $0 + $1.records.count }) records in \(afl.entries.count) files"
        case .recordsRead(let count, let bytes): "\(count) records, \(bytes) bytes to be authenticated"
        case .dataAuthentication(nil, _): "not performed: card and terminal have no method in common"
        case .dataAuthentication(let method?, nil):
            "\(method.name) \(method == .cda || method == .xda ? "keys recovered, signature comes with the cryptogram" : "successful")"
        case .dataAuthentication(let method?, let failure?): "\(method.name) failed: \(failure)"
        case .dataAuthenticationNotChecked(let method, let failure):
            "\(method.name) not checked: \(failure); the log's result counts"
        case .processingRestrictions(let found), .riskManagement(let found):
            found.isEmpty ? "nothing found" : found.meanings.joined(separator: "; ")
        case .cardholderVerification(_, let results): results.summary
        case .actionAnalysis(let analysis): analysis.summary
        case .cryptogram(let requested, let answered):
            "asked for \(requested.name), card gave \(answered.meanings.joined(separator: ", "))"
        case .combinedSignature(nil): "signature right: the card signed its cryptogram"
        case .combinedSignature(let failure?): "signature failed: \(failure)"
        case .wentOnline(let code?): "issuer answered \(code)"
        case .wentOnline(nil): "unable to go online"
        case .issuerAuthentication(let succeeded): "issuer authentication \(succeeded ? "successful" : "failed")"
        case .issuerScript(let result): result.summary
        case .completed(let decision): decision.summary
        }
    }
}

extension Outcome.Decision {
    /// The decision as text, for logs and reports; recordings compare it.
    public var summary: String {
        switch self {
        case .approved(let path): "approved \(path.summary)"
        case .declined(let path): "declined \(path.summary)"
        case .terminated(let reason): "terminated: \(reason)"
        }
    }
}

extension Outcome.Path {
    /// Who decided, as text.
    public var summary: String {
        switch self {
        case .offline: "offline"
        case .online: "online"
        case .unableToGoOnline: "offline, unable to go online"
        }
    }
}
