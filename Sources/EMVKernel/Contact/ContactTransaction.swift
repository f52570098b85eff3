private import Bytes
import CardCryptography
import SmartCard
import TLV

/// One contact transaction on its way through the kernel: what is known so far, and whom to ask for more.
struct ContactTransaction {
    let configuration: TerminalConfiguration
    let request: TransactionRequest
    let card: any CardChannel
    let cardholder: any Cardholder
    let issuer: any OnlineAuthorizer
    let environment: any EMVEnvironment
    let observe: ((KernelEvent) -> Void)?

    var data = TransactionData()
    var tvr: TerminalVerificationResults = []
    var tsi: TransactionStatusInformation = []
    var cvmResults = CVMResults.notPerformed
    var onlinePIN: OnlinePIN?
    var authentication = DataAuthentication()
    /// What went to the card in the data fields of GET PROCESSING OPTIONS and GENERATE AC, which CDA signs (EMV 4.4 Book 2, 6.6.1).
    var sentData: [UInt8] = []
    /// The issuer's answer, once there is one.
    var response: IssuerResponse?
    var adviceWanted = false
    /// A GENERATE AC went to the card: from then on the transaction is the chip's.
    var hasAskedForCryptogram = false

    /// EMV 4.4 Book 3, figure 7, one line a phase.
    mutating func run() async -> Outcome {
        let decision: Outcome.Decision
        do throws(Termination) {
            try loadTerminalData()
            let application = try await selectApplicationAndInitiate()
            try await readApplicationData(application)
            try await authenticateDataOffline(application)
            applyProcessingRestrictions(application)
            try await verifyCardholder(application)
            try await manageTerminalRisk(application)
            let requested = analyseTerminalActions(application, canGoOnline: true).request
            let answered = try await generateAC(requested, list: .cdol1, application: application)
            decision = try await complete(requested, answered, application: application)
        } catch {
            decision = .terminated(error)
        }
        observe?(.completed(decision))
        return outcome(decision)
    }

    /// Sends a command; a card that does not answer ends the transaction.
    func send(_ command: CommandAPDU) async throws(Termination) -> ResponseAPDU {
        do throws(CardChannelError) {
            return try await card.transmit(command)
        } catch {
            throw .channel(error)
        }
    }

    /// The values that `list` asks for, with the results as they are now.
    mutating func concatenate(_ list: DOL) -> [UInt8] {
        list.concatenate(dataWithResults())
    }

    /// The transaction's data, TVR, TSI and CVM results brought up to date.
    mutating func dataWithResults() -> TransactionData {
        data.terminal[.terminalVerificationResults] = tvr.bytes
        data.terminal[.transactionStatusInformation] = tsi.bytes
        data.terminal[.cvmResults] = cvmResults.bytes
        return data
    }

    private mutating func outcome(_ decision: Outcome.Decision) -> Outcome {
        let approved = if case .approved = decision { true } else { false }
        let issuerApproved = response?.approves ?? false
        return Outcome(
            decision: decision, data: dataWithResults(), tvr: tvr, tsi: tsi, cvmResults: cvmResults, onlinePIN: onlinePIN,
            signatureWanted: approved && cvmResults.wantsSignature, reversalWanted: issuerApproved && !approved, adviceWanted: adviceWanted,
            referralWanted: response?.refers ?? false, fallback: fallback(decision))
    }

    private func fallback(_ decision: Outcome.Decision) -> Fallback? {
        guard case .terminated(let termination) = decision, !hasAskedForCryptogram else { return nil }
        return switch termination.fallbackReason {
        case .technical: Fallback(.technical, entryMode: .stripeAfterChip)
        case .emptyCandidateList: Fallback(.emptyCandidateList, entryMode: configuration.emptyCandidateListEntryMode)
        case nil: nil
        }
    }

    private mutating func loadTerminalData() throws(Termination) {
        guard let amount = BCD.encode(request.amount, count: 6), let other = BCD.encode(request.amountOther, count: 6) else {
            throw .configuration("the amount has more than twelve digits")
        }
        guard request.amountOther <= request.amount else { throw .configuration("the cashback is more than the amount") }
        let merchant = configuration.merchant
        data.terminal.append(.amountAuthorised, amount)
        data.terminal.append(.amountOther, other)
        data.terminal.append(.amountAuthorisedBinary, UInt32(clamping: request.amount).bigEndianBytes)
        data.terminal.append(.amountOtherBinary, UInt32(clamping: request.amountOther).bigEndianBytes)
        data.terminal.append(.transactionCurrencyCode, BCD.encode(UInt64(request.currencyCode), count: 2) ?? [0, 0])
        data.terminal.append(.transactionCurrencyExponent, [request.currencyExponent])
        data.terminal.append(.transactionDate, request.date)
        data.terminal.append(.transactionTime, request.time)
        data.terminal.append(.transactionType, [request.kind.rawValue])
        data.terminal.append(.transactionSequenceCounter, BCD.encode(UInt64(request.sequenceCounter % 100_000_000), count: 4) ?? [])
        data.terminal.append(.unpredictableNumber, environment.unpredictableNumber())
        data.terminal.append(.terminalType, [configuration.type.rawValue])
        data.terminal.append(.terminalCapabilities, configuration.capabilities.bytes)
        data.terminal.append(.additionalTerminalCapabilities, configuration.additionalCapabilities.bytes)
        data.terminal.append(.terminalCountryCode, BCD.encode(UInt64(configuration.countryCode), count: 2) ?? [0, 0])
        data.terminal.append(.pointOfServiceEntryMode, [0x05])
        data.terminal.append(.merchantCategoryCode, BCD.encode(UInt64(merchant.categoryCode), count: 2) ?? [0, 0])
        data.terminal.append(.acquirerIdentifier, BCD.encode(merchant.acquirerIdentifier, count: 6) ?? [])
        data.terminal.append(.merchantIdentifier, merchant.identifier.padded(to: 15))
        data.terminal.append(.terminalIdentification, merchant.terminalIdentification.padded(to: 8))
        data.terminal.append(.interfaceDeviceSerialNumber, merchant.interfaceDeviceSerialNumber.padded(to: 8))
        data.terminal.append(.merchantNameAndLocation, Array(merchant.nameAndLocation.utf8))
        for tag in configuration.additionalData.tags { data.terminal[tag] = configuration.additionalData[tag] }
    }
}

extension String {
    /// The text in ASCII, padded with spaces or cut to `count` bytes.
    fileprivate func padded(to count: Int) -> [UInt8] {
        Array((Array(utf8) + [UInt8](repeating: 0x20, count: count)).prefix(count))
    }
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> UInt32($0)) } }
}

extension CVMResults {
    /// Whether the last CVM performed was a signature, alone or with a PIN.
    var wantsSignature: Bool {
        result != .failed && [.signature, .plaintextPINAndSignature, .encipheredPINAndSignature].contains(code)
    }
}
