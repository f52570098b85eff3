public import EMVKernel
public import SmartCard
public import TLV

/// A contactless kernel (EMV Contactless Books C): a state machine over values.
///
/// It sends nothing, waits for nothing and reads no clock. Whoever runs it carries out each step
/// and passes the result back. A kernel that has ended is not called again.
public protocol ContactlessKernel: Sendable {
    /// The first step.
    mutating func start() -> KernelStep

    /// What follows the card's answer.
    ///
    /// - Parameters:
    ///   - answer: At most 256 bytes of data.
    ///   - elapsed: From the start of the command to the end of the answer, as the reader measured it.
    mutating func take(_ answer: ResponseAPDU, after elapsed: Duration) -> KernelStep

    /// What follows a command to which no answer came.
    mutating func fail(_ error: CardChannelError) -> KernelStep

    /// What follows the issuer's answer, for a kernel that ended with ``ContactlessOutcome/Start/d``.
    mutating func resume(with response: IssuerResponse) -> KernelStep
}

extension ContactlessKernel {
    /// Most kernels have nothing to do with the answer in the same field: the card has gone.
    public mutating func resume(with response: IssuerResponse) -> KernelStep {
        KernelStep(.end(ContactlessOutcome(.endApplication)))
    }
}

/// What a kernel wants done next.
public struct KernelStep: Sendable {
    public enum Action: Sendable {
        case transmit(CommandAPDU)
        case end(ContactlessOutcome)
    }

    /// To be shown before `action` is carried out.
    public var show: UserInterfaceRequest?
    public var action: Action
    /// How long to wait before `action` is carried out.
    public var pause = Duration.zero

    public init(_ action: Action, show: UserInterfaceRequest? = nil) {
        self.action = action
        self.show = show
    }
}

/// What one combination sets its kernel to, and how a transaction with it begins.
///
/// A new kernel is a target of its own with a type for this and one for ``ContactlessKernel``:
/// Entry Point knows neither.
public protocol KernelConfiguration: Sendable {
    var identifier: KernelIdentifier { get }

    /// Whether the kernel processes an application that answered the final SELECT so
    /// (EMV Contactless Book B, 3.3.3.6). The default is yes.
    func accepts(_ application: ApplicationInformation) -> Bool

    func kernel(for activation: KernelActivation) -> any ContactlessKernel
}

extension KernelConfiguration {
    public func accepts(_ application: ApplicationInformation) -> Bool { true }
}

/// What Entry Point hands to a kernel (EMV Contactless Book B, 3.4).
public struct KernelActivation: Sendable {
    /// The terminal's data objects: those of EMV 4.4 Book 3, annex A, and TTQ where the
    /// combination has it.
    public let data: DataElements
    public let terminal: TerminalConfiguration
    public let request: TransactionRequest
    public let combination: Combination
    public let indicators: PreProcessingIndicators
    public let application: ApplicationInformation
    /// Chance and memory.
    public let environment: any EMVEnvironment
    /// What the issuer said, where the card is presented again to hear it.
    public let issuerResponse: IssuerResponse?
    /// What earlier taps left without an answer.
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

    /// What is known before the card is asked for processing options: of the answer to SELECT what
    /// EMV 4.4 Book 1, table 10, has there, and `tags` of the kernel's own.
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
