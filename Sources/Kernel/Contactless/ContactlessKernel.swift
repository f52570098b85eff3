import Bytes
public import EMVKernel
public import SmartCard
public import TLV

/// A contactless kernel (EMV Contactless Books C): a state machine over values.
///
/// It does no input or output, and reads no clock. The caller executes each step and passes the
/// result back. A kernel that has ended is not called again.
public protocol ContactlessKernel: Sendable {
    /// The first step.
    mutating func start() -> KernelStep

    /// The step after the card's answer.
    ///
    /// - Parameters:
    ///   - answer: At most 256 bytes of data.
    ///   - elapsed: From the start of the command to the end of the answer, as the reader measured
    ///     it.
    mutating func take(_ answer: ResponseAPDU, after elapsed: Duration) -> KernelStep

    /// The step after a command without an answer.
    mutating func fail(_ error: CardChannelError) -> KernelStep

    /// The step after the issuer's answer, for a kernel that ended with
    /// ``ContactlessOutcome/Start/d``.
    mutating func resume(with response: IssuerResponse) -> KernelStep
}

extension ContactlessKernel {
    /// By default the answer is not used: for most kernels the card has left the field.
    public mutating func resume(with response: IssuerResponse) -> KernelStep {
        KernelStep(.end(ContactlessOutcome(.endApplication)))
    }
}

/// A step that a kernel requests.
public struct KernelStep: Sendable {
    public enum Action: Sendable {
        case transmit(CommandAPDU)
        case end(ContactlessOutcome)
    }

    /// To be shown before `action` is executed.
    public var show: UserInterfaceRequest?
    public var action: Action
    /// How long to wait before `action` is executed.
    public var pause = Duration.zero

    public init(_ action: Action, show: UserInterfaceRequest? = nil) {
        self.action = action
        self.show = show
    }
}

/// The configuration of one combination's kernel, which also creates the kernel of a transaction.
///
/// A new kernel is a separate target with one type for this protocol and one for
/// ``ContactlessKernel``. Entry Point depends on neither.
public protocol KernelConfiguration: Sendable {
    var identifier: KernelIdentifier { get }

    /// Whether the kernel processes an application with this answer to the final SELECT (EMV
    /// Contactless Book B, 3.3.3.6). The default is true.
    func accepts(_ application: ApplicationInformation) -> Bool

    func kernel(for activation: KernelActivation) -> any ContactlessKernel
}

extension KernelConfiguration {
    public func accepts(_ application: ApplicationInformation) -> Bool { true }
}

/// The data that Entry Point passes to a kernel (EMV Contactless Book B, 3.4).
public struct KernelActivation: Sendable {
    /// The terminal's data objects: those of EMV 4.4 Book 3, annex A, and TTQ if the combination
    /// has it.
    public let data: DataElements
    public let terminal: TerminalConfiguration
    public let request: TransactionRequest
    public let combination: Combination
    public let indicators: PreProcessingIndicators
    public let application: ApplicationInformation
    /// Randomness and memory.
    public let environment: any EMVEnvironment
    /// The issuer's answer, if the card is presented again to receive it.
    public let issuerResponse: IssuerResponse?
    /// The torn transactions of earlier taps.
    package var tornTransactions = TornTransactionLog()
    package var failedChecksums = FailedChecksums()

    public init(
        data: DataElements, terminal: TerminalConfiguration, request: TransactionRequest, combination: Combination,
        indicators: PreProcessingIndicators, application: ApplicationInformation, environment: any EMVEnvironment,
        issuerResponse: IssuerResponse? = nil
    ) {
        self.data = data
        self.terminal = terminal
        self.request = request
        self.combination = combination
        self.indicators = indicators
        self.application = application
        self.environment = environment
        self.issuerResponse = issuerResponse
    }

    /// The data before GET PROCESSING OPTIONS: from the answer to SELECT, the data objects of EMV
    /// 4.4 Book 1, table 10, and the kernel's own `tags`.
    package func transactionData(_ tags: [Tag] = []) -> TransactionData {
        var known = TransactionData()
        known.terminal = data
        for tag in Self.selectionTags + tags { known.card[tag] = application.data[tag] }
        return known
    }

    private static let selectionTags: [Tag] = [
        .dfName, .applicationLabel, .applicationPriorityIndicator, .pdol, .languagePreference, .issuerCodeTableIndex,
        .applicationPreferredName, .logEntry,
    ]
}

extension KernelActivation {
    /// Whether the terminal's exception file has the card.
    package func isOnExceptionFile(_ card: DataElements) -> Bool {
        (card.pan ?? SecretBytes([])).withArray { pan in
            environment.isOnExceptionFile(pan: pan, sequenceNumber: card[.panSequenceNumber]?.first)
        }
    }
}
