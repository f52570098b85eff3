import CardCryptography
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV

/// The contactless reader of a tap, derived from its commands: the values of the card's lists, and
/// limits that explain TTQ, TVR and CVM results.
struct LoggedReader {
    let request: TransactionRequest
    let environment: LoggedEnvironment
    /// The assumptions and their reasons, for the report.
    let assumptions: [String]
    private let terminal: TerminalConfiguration
    private let combinations: [Combination]
    /// What the card was sent.
    private let sent: DataElements
    /// How much the tap tells of its reader.
    private let detail: Detail

    private enum Detail: Comparable { case selection, options, cryptogram }

    /// Nil if the kernel is not implemented.
    ///
    /// - Parameter recovers: Whether the log's terminal recovers torn transactions.
    init?(_ tap: LoggedTap, kernel: KernelIdentifier, recovers: Bool) {
        let log = tap.log
        let terminal = LoggedTerminal(
            log.conversation, card: log.card, lists: log.lists, caKeys: log.caKeys, recorded: log.recorded)
        let sent = terminal.sent
        var request = terminal.request
        var settings = terminal.configuration
        settings.issuerCertificates = log.memory?.issuers
        let combination:
            (limits: TransactionLimits, qualifiers: TerminalTransactionQualifiers?, kernel: any KernelConfiguration)
        switch kernel {
        case .kernel3, .kernel7:
            // TTQ contains everything about the type except "offline only".
            if !settings.type.isOfflineOnly { settings.type = .attendedOnlineWithOfflineCapability }
            let qualifiers =
                sent[.terminalTransactionQualifiers].flatMap(TerminalTransactionQualifiers.init) ?? Self.usualQualifiers
            combination = (
                Self.limits(qualifiers, amount: terminal.request.amount), qualifiers,
                kernel == .kernel3
                    ? Kernel3Configuration(supportsMagstripeMode: qualifiers.contains(.magstripeMode))
                    : Kernel7Configuration()
            )
            assumptions = ["reader limits: those that lead to the TTQ that was sent to the card"]
        case .kernel2:
            let resistsRelays = log.conversation.relayExchangeCount > 0
            var kernel = Self.kernel2(terminal, sent: sent, card: log.card)
            kernel.relayResistance = resistsRelays ? Self.relayResistance(sent) : nil
            if recovers { kernel.maximumTornTransactions = Self.manyTornTransactions }
            combination = (TransactionLimits(), nil, kernel)
            assumptions = terminal.assumptions + (resistsRelays ? [Self.relayAssumption] : [])
        case .kernel4:
            settings.type = TerminalType(rawValue: settings.type.rawValue & ~Self.readerCapabilityBits)
            // The kernel asks the issuer about an amount of zero.
            let hasAmount = sent.contains(.amountAuthorised)
            if !hasAmount { request.amount = 1 }
            combination = (Self.limits(amount: request.amount, sent: sent), nil, Self.kernel4(terminal, sent: sent))
            assumptions = terminal.assumptions + (hasAmount ? [] : ["an amount other than zero: no amount was sent"])
        case .kernel8:
            let resistsRelays = log.conversation.relayExchangeCount > 0
            var kernel = Self.kernel8(terminal, log)
            kernel.relayResistance = resistsRelays ? Self.relayResistance(sent) : nil
            combination = (TransactionLimits(), nil, kernel)
            assumptions =
                ["reader limits: those that explain TVR and risk management data"]
                + (resistsRelays ? [Self.relayAssumption] : [])
        default: return nil
        }
        settings.applications = []
        self.terminal = settings
        combinations = LoggedTerminal.selectedNames(log.conversation).map { name in
            Combination(
                aid: name, transactionTypes: [terminal.request.kind], limits: combination.limits,
                qualifiers: combination.qualifiers,
                kernel: combination.kernel)
        }
        self.request = request
        self.sent = sent
        environment = terminal.environment
        detail = Self.detail(log.conversation)
    }

    private static func detail(_ conversation: LoggedConversation) -> Detail {
        guard conversation.cryptogramCommands.isEmpty else { return .cryptogram }
        // RECOVER AC is for the values of another tap.
        let isComplete = conversation.first(.recoverAC) == nil && LoggedOutcome(conversation) != .noCryptogram
        return isComplete ? .cryptogram : conversation.first(.getProcessingOptions) != nil ? .options : .selection
    }

    private static let relayAssumption = "relay resistance: the card answered in the time that the TVR shows"
    /// As many as a log can have.
    private static let manyTornTransactions = 64

    // MARK: Several taps

    /// The reader of a payment's taps: the settings of the tap that tells most, and the
    /// applications of all.
    init?(merging readers: [LoggedReader]) {
        guard
            let best = readers.enumerated().max(by: { ($0.element.detail, $0.offset) < ($1.element.detail, $1.offset) }
            )?.element
        else { return nil }
        request = best.request
        environment = best.environment
        terminal = best.terminal
        sent = best.sent
        detail = best.detail
        assumptions = best.assumptions
        combinations = readers.reduce(into: best.combinations) { known, reader in
            known += reader.combinations.filter { other in !known.contains { $0.aid == other.aid } }
        }
    }

    /// The end of the payment whose first tap is `start`: the first tap whose amounts, currency,
    /// date or type are others.
    static func endOfPayment(_ readers: [LoggedReader?], from start: Int) -> Int {
        for place in (start + 1)..<max(start + 1, readers.count) {
            guard let reader = readers[place] else { continue }
            if readers[start..<place].contains(where: { $0.map(reader.differs) ?? false }) { return place }
        }
        return readers.count
    }

    private func differs(from other: LoggedReader) -> Bool {
        Self.paymentTags.contains { tag in
            guard let own = sent.number(tag), let others = other.sent.number(tag) else { return false }
            return own != others
        }
    }

    private static let paymentTags: [Tag] = [
        .amountAuthorised, .amountOther, .transactionCurrencyCode, .transactionDate, .transactionType,
    ]

    /// - Parameters:
    ///   - presentations: How often the card is presented in the log.
    ///   - environment: Has the terminal's keys for kernel 8.
    func configuration(presentations: Int, _ environment: TapEnvironment) -> EntryPointConfiguration {
        let combinations = combinations.map { combination in
            guard var kernel = combination.kernel as? Kernel8Configuration else { return combination }
            var combination = combination
            kernel.makeKey = { environment.agreement ?? KernelKeyAgreement($0) }
            combination.kernel = kernel
            return combination
        }
        return EntryPointConfiguration(
            terminal: terminal, combinations: combinations, maximumPresentations: presentations + 1)
    }

    /// For a log that ends before the terminal sends any.
    private static let usualQualifiers: TerminalTransactionQualifiers = [
        .emvMode, .contactChip, .onlinePIN, .signature, .consumerDeviceCVM,
    ]

    /// Visa: TTQ contains the limits that pre-processing found exceeded (EMV Contactless Book B,
    /// 3.1.1.9 to 3.1.1.12).
    private static func limits(_ qualifiers: TerminalTransactionQualifiers, amount: UInt64) -> TransactionLimits {
        TransactionLimits(
            floorLimit: qualifiers.contains(.onlineCryptogramRequired) && amount > 0 ? amount - 1 : amount,
            cvmRequiredLimit: qualifiers.contains(.cvmRequired) ? amount : nil)
    }

    /// Mastercard: TVR and CVM results contain the exceeded limits (EMV Contactless Book C-2, 7.5
    /// and 7.6).
    private static func kernel2(_ terminal: LoggedTerminal, sent: DataElements, card: DataElements)
        -> Kernel2Configuration
    {
        let amount = terminal.request.amount
        let below = amount > 0 ? amount - 1 : 0
        let tvr = sent[.terminalVerificationResults].flatMap(TerminalVerificationResults.init)
        let results = sent[.cvmResults]
        let isOnDevice = results.map { deviceResults.contains($0) } ?? true
        let verification = terminal.configuration.capabilities
        var configuration = Kernel2Configuration(
            floorLimit: tvr?.contains(.floorLimitExceeded) ?? false ? below : amount, transactionLimit: .max,
            deviceTransactionLimit: .max,
            cvmRequiredLimit: results == deviceResults[0] ? below : amount, verificationAboveLimit: verification,
            verificationBelowLimit: verification, supportsDeviceVerification: isOnDevice)
        let application = terminal.configuration.applications.first
        configuration.versions = application?.versions ?? []
        configuration.actionCodes = application?.actionCodes ?? ActionCodes()
        configuration.tellsRelayResistance = tvr.map { $0.rawValue & 0x03 != 0 } ?? true
        return configuration
    }

    /// The bits of tag `9F6D` in a terminal type that kernel 4 sent.
    private static let readerCapabilityBits: UInt8 = 0xC8

    /// American Express: the reader's capabilities tell whether the CVM required limit was reached,
    /// TVR whether the floor limit was exceeded.
    private static func limits(amount: UInt64, sent: DataElements) -> TransactionLimits {
        let tvr = sent[.terminalVerificationResults].flatMap(TerminalVerificationResults.init) ?? []
        let bits = [sent[.terminalType]?.first, sent[0x9F6D]?.first].compactMap(\.self)
        let isRequired =
            bits.contains { $0 & 0x08 != 0 } || sent[0x9F6E].map { $0.count == 4 && $0[2] & 0x40 != 0 } ?? false
        return TransactionLimits(
            floorLimit: tvr.contains(.floorLimitExceeded) && amount > 0 ? amount - 1 : amount,
            cvmRequiredLimit: isRequired ? amount : nil)
    }

    private static func kernel4(_ terminal: LoggedTerminal, sent: DataElements) -> Kernel4Configuration {
        let methods = terminal.configuration.capabilities
        var configuration = Kernel4Configuration(
            verificationAboveLimit: methods, verificationBelowLimit: methods,
            supportsMobileVerification: sent[.cvmResults].map { $0 == deviceResults[0] } ?? true)
        let application = terminal.configuration.applications.first
        configuration.versions = application?.versions ?? []
        configuration.actionCodes = application?.actionCodes ?? ActionCodes()
        return configuration
    }

    /// Limits with which an exchange in zero time results in the TVR that was sent to the card.
    private static func relayResistance(_ sent: DataElements) -> RelayResistanceLimits {
        let tvr = sent[.terminalVerificationResults].flatMap(TerminalVerificationResults.init) ?? []
        var limits = RelayResistanceLimits()
        limits.minimumGracePeriod = .max
        // A ratio of at most 100 is always below the one, never below the other.
        limits.mismatchThreshold = tvr.contains(.relayResistanceThresholdExceeded) ? .max : 0
        return limits
    }

    /// CVM results of verification on the card's device, above and below the limit.
    private static let deviceResults: [[UInt8]] = [[0x01, 0x00, 0x02], [0x3F, 0x00, 0x02]]

    /// Kernel 8: risk management data contain the methods and the exceeded limit, the commands the
    /// data envelopes.
    private static func kernel8(_ terminal: LoggedTerminal, _ log: ReplayedLog) -> Kernel8Configuration {
        let amount = terminal.request.amount
        let below = amount > 0 ? amount - 1 : 0
        let sent = terminal.sent
        let tvr = sent[.terminalVerificationResults].flatMap(TerminalVerificationResults.init) ?? []
        let management = sent[.terminalRiskManagementData] ?? []
        let methods = management.first.map { Kernel8Configuration.CVMCapability(rawValue: $0) } ?? []
        let isAbove = management.count > 1 && management[1] & 0x80 != 0
        var configuration = Kernel8Configuration(
            floorLimit: tvr.contains(.floorLimitExceeded) ? below : amount, cvmRequiredLimit: isAbove ? below : amount,
            verificationAboveLimit: methods, verificationBelowLimit: methods)
        configuration.authenticatesLocally = sent[.kernelQualifier].map { $0.count == 8 && $0[1] & 0x80 != 0 } ?? true
        if let codes = log.recorded?.configuration.applications.first?.actionCodes {
            (configuration.denialActionCode, configuration.onlineActionCode) = (codes.denial, codes.online)
        }
        let envelopes = log.channel?.envelopes(log.conversation)
        configuration.envelopesToRead = envelopes?.read ?? []
        configuration.envelopesToWriteBefore = envelopes?.writtenBefore ?? []
        configuration.envelopesToWrite = envelopes?.writtenAfter ?? []
        return configuration
    }
}
