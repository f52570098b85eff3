public import TLV

/// What the kernel did, told as it happens, for a screen, a log or a comparison. No event carries card data.
public enum KernelEvent: Sendable, Equatable {
    case candidatesFound([Candidate])
    case applicationSelected(Candidate)
    /// The application that was chosen does not run, and the choice is made again.
    case applicationStruckOff(Candidate)
    /// What the cardholder is shown from now on is in this language.
    case languageSelected(Language)
    case processingOptions(ApplicationInterchangeProfile, ApplicationFileLocator)
    case recordsRead(count: Int, authenticatedBytes: Int)
    case dataAuthentication(DataAuthenticationMethod?, DataAuthenticationFailure?)
    /// A replay without the authority's key: the log's result counts.
    case dataAuthenticationNotChecked(DataAuthenticationMethod, DataAuthenticationFailure)
    case processingRestrictions(TerminalVerificationResults)
    case cardholderVerification([CVMAttempt], CVMResults)
    case riskManagement(TerminalVerificationResults)
    case actionAnalysis(ActionAnalysis)
    case cryptogram(requested: CryptogramType, answered: CryptogramInformationData)
    /// The card's signature on its cryptogram, where CDA or XDA was asked for; nil if it is right.
    case combinedSignature(DataAuthenticationFailure?)
    case wentOnline(responseCode: String?)
    case issuerAuthentication(succeeded: Bool)
    case issuerScript(ScriptResult)
    case completed(Outcome.Decision)

    /// The phases of a contact transaction in their order (EMV 4.4 Book 3, 8.2).
    public enum Phase: String, Sendable, CaseIterable {
        case applicationSelection = "Application selection"
        case initiateApplication = "Initiate application processing"
        case readApplicationData = "Read application data"
        case dataAuthentication = "Offline data authentication"
        case processingRestrictions = "Processing restrictions"
        case cardholderVerification = "Cardholder verification"
        case riskManagement = "Terminal risk management"
        case actionAnalysis = "Terminal action analysis"
        case cardActionAnalysis = "Card action analysis"
        case onlineProcessing = "Online processing"
        case issuerScripts = "Issuer-to-card script processing"
        case completion = "Completion"
    }

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

    /// One line that says what came out.
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
        case .dataAuthenticationNotChecked(let method, let failure): "\(method.name) not checked: \(failure); the log's result counts"
        case .processingRestrictions(let found), .riskManagement(let found):
            found.isEmpty ? "nothing found" : found.words.joined(separator: "; ")
        case .cardholderVerification(_, let results): results.words
        case .actionAnalysis(let analysis): analysis.words
        case .cryptogram(let requested, let answered): "asked for \(requested.name), card gave \(answered.words.joined(separator: ", "))"
        case .combinedSignature(nil): "signature right: the card signed its cryptogram"
        case .combinedSignature(let failure?): "signature failed: \(failure)"
        case .wentOnline(let code?): "issuer answered \(code)"
        case .wentOnline(nil): "unable to go online"
        case .issuerAuthentication(let succeeded): "issuer authentication \(succeeded ? "successful" : "failed")"
        case .issuerScript(let result): result.words
        case .completed(let decision): decision.words
        }
    }
}

extension Outcome.Decision {
    public var words: String {
        switch self {
        case .approved(let path): "approved \(path.words)"
        case .declined(let path): "declined \(path.words)"
        case .terminated(let reason): "terminated: \(reason)"
        }
    }
}

extension Outcome.Path {
    public var words: String {
        switch self {
        case .offline: "offline"
        case .online: "online"
        case .unableToGoOnline: "offline, unable to go online"
        }
    }
}
