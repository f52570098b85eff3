private import Bytes
import CardCryptography
import SmartCard
import TLV

/// The state of one contact transaction: the data so far, and the interfaces to card, cardholder
/// and issuer.
struct ContactTransaction: ~Copyable {
    let configuration: TerminalConfiguration
    let request: TransactionRequest
    let card: any CardChannel
    let cardholder: any Cardholder
    let issuer: any OnlineAuthorizer
    let environment: any EMVEnvironment
    let observe: ((KernelEvent) -> Void)?

    /// The terminal's capabilities for the selected application, tag `9F33`.
    var capabilities: TerminalCapabilities
    var data = TransactionData()
    var tvr: TerminalVerificationResults = []
    var tsi: TransactionStatusInformation = []
    var cvmResults = CVMResults.notPerformed
    var onlinePIN: OnlinePIN?
    var authentication = DataAuthentication()
    /// The data fields of GET PROCESSING OPTIONS and GENERATE AC as sent to the card, which CDA
    /// signs (EMV 4.4 Book 2, 6.6.1).
    var sentData: [UInt8] = []
    /// The type of the last cryptogram; a final type that is not allowed counts as an AAC.
    var cryptogram: CryptogramType?
    /// The issuer's answer, once there is one.
    var response: IssuerResponse?
    /// The issuer approved, by its answer or over the telephone.
    var issuerApproved = false
    /// A request was sent, but there is no usable answer: the host may have booked it.
    var requestMayHaveArrived = false
    /// The bytes of the scripts performed so far.
    var scriptLength = 0
    var requiresAdvice = false
    /// A GENERATE AC was sent to the card: fallback to the stripe is no longer allowed.
    var hasAskedForCryptogram = false

    init(
        configuration: TerminalConfiguration, request: TransactionRequest, card: any CardChannel,
        cardholder: any Cardholder,
        issuer: any OnlineAuthorizer, environment: any EMVEnvironment, logged: LoggedAuthentication? = nil,
        observe: ((KernelEvent) -> Void)?
    ) {
        self.configuration = configuration
        self.request = request
        self.card = card
        self.cardholder = cardholder
        self.issuer = issuer
        self.environment = environment
        self.observe = observe
        authentication.logged = logged
        capabilities = configuration.effectiveCapabilities(nil)
    }

    /// EMV 4.4 Book 3, figure 6, one line for each phase.
    mutating func run() async -> Outcome {
        let decision: Outcome.Decision
        do throws(Termination) {
            try loadTerminalData()
            let application = try await selectApplicationAndInitiate()
            try await readApplicationData(application)
            try await authenticateDataOffline(application)
            try applyProcessingRestrictions(application)
            try await verifyCardholder(application)
            try await manageTerminalRisk(application)
            let requested = analyzeTerminalActions(application)
            let answered = try await generateAC(requested, .first, application: application)
            decision = try await complete(answered, application)
        } catch {
            decision = .terminated(error)
        }
        observe?(.completed(decision))
        return outcome(decision)
    }

    /// Sends a command. If the card does not answer, or its answer is too long, the transaction
    /// ends.
    @inline(__always) func send(_ command: CommandAPDU) async throws(Termination) -> ResponseAPDU {
        let response: ResponseAPDU
        do throws(CardChannelError) {
            response = try await card.transmit(command)
        } catch {
            throw .channel(error)
        }
        guard response.data.count <= ContactKernel.maximumAnswerLength else {
            throw .channel(.malformedAnswer(.tooLong(maximum: ContactKernel.maximumAnswerLength)))
        }
        return response
    }

    /// The values that `list` requests, with the current results.
    mutating func concatenate(_ list: DOL) -> [UInt8] {
        enterResults()
        return list.concatenate(data)
    }

    /// The values that `list` requests, with the terminal's values for this use.
    mutating func concatenate(_ list: DOL, for use: CardListUse) -> [UInt8] {
        take(environment.values(for: use))
        return concatenate(list)
    }

    /// Stores the terminal's values for one use; they apply from now on.
    mutating func take(_ values: DataElements) {
        if values.count > 0 { data.terminal.update(with: values) }
    }

    /// The transaction's data with the current TVR, TSI and CVM results.
    mutating func dataWithResults() -> TransactionData {
        enterResults()
        return data
    }

    private mutating func enterResults() {
        data.terminal.set(.terminalVerificationResults, tvr)
        data.terminal.set(.transactionStatusInformation, tsi)
        data.terminal.set(.cvmResults, bigEndian: cvmResults.number, count: 3)
    }

    private mutating func outcome(_ decision: Outcome.Decision) -> Outcome {
        let approved = if case .approved = decision { true } else { false }
        return Outcome(
            decision: decision, data: dataWithResults(), tvr: tvr, tsi: tsi, cvmResults: cvmResults,
            onlinePIN: onlinePIN,
            cryptogram: cryptogram, requiresSignature: approved && cvmResults.requiresSignature,
            requiresReversal: requestMayHaveArrived || (issuerApproved && !approved), requiresAdvice: requiresAdvice,
            requiresReferral: isReferral && !issuerApproved, fallback: fallback(decision))
    }

    private func fallback(_ decision: Outcome.Decision) -> Fallback? {
        guard case .terminated(let termination) = decision, !hasAskedForCryptogram else { return nil }
        return switch termination.fallbackReason {
        case .technical: Fallback(.technical, entryMode: .stripeAfterChip)
        case .emptyCandidateList: Fallback(.emptyCandidateList, entryMode: configuration.emptyCandidateListEntryMode)
        case nil: nil
        }
    }
}
