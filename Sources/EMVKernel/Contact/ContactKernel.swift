public import SmartCard

/// A contact EMV level 2 kernel (EMV 4.4, Books 1 to 4): terminal data and a card go in, an ``Outcome`` comes out.
///
/// The kernel holds the terminal's configuration and nothing of a transaction, so one serves many cards. What it needs of the
/// world is handed in; every decision it takes is a function over the transaction's data under `Decisions/`, and the flow between
/// card, cardholder and issuer is `ContactTransaction`, which reads like Book 3, chapter 10.
///
/// Neither EMVCo nor another body has approved it; `docs/conformance.md` says what each test shows.
public struct ContactKernel: Sendable {
    /// The most records that an AFL may list, and that are read of a directory. The books set no limit; known cards have fewer than twenty.
    public static let maximumRecords = 64
    /// The most applications that SELECT next, or a directory, may offer.
    public static let maximumCandidates = 32

    /// The most data bytes of an answer (EMV 4.4 Book 3, 6.1).
    public static let maximumAnswerLength = 256

    /// What the kernel is set to for every transaction.
    public let configuration: TerminalConfiguration

    /// A kernel with the terminal's configuration; a wrong one
    /// ends transactions with ``Termination/configuration(_:)``.
    public init(_ configuration: TerminalConfiguration) { self.configuration = configuration }

    /// Carries one transaction through.
    ///
    /// - Parameters:
    ///   - observe: receives each step as it happens, on the caller's executor.
    /// - Returns: How it ended; see ``Outcome/decision``.
    public func perform(
        _ request: TransactionRequest, card: any CardChannel, cardholder: any Cardholder, issuer: any OnlineAuthorizer,
        environment: any EMVEnvironment, observe: ((KernelEvent) -> Void)? = nil
    ) async -> Outcome {
        await perform(
            request, card: card, cardholder: cardholder, issuer: issuer, environment: environment, logged: nil, observe: observe)
    }

    /// The same against a log as the card.
    ///
    /// - Parameter logged: the result that counts if the authority's key is missing; nil if data
    ///   authentication then fails, as in any terminal.
    package func perform(
        _ request: TransactionRequest, card: any CardChannel, cardholder: any Cardholder, issuer: any OnlineAuthorizer,
        environment: any EMVEnvironment, logged: LoggedAuthentication?, observe: ((KernelEvent) -> Void)? = nil
    ) async -> Outcome {
        var transaction = ContactTransaction(
            configuration: configuration, request: request, card: card, cardholder: cardholder, issuer: issuer, environment: environment,
            logged: logged, observe: observe)
        return await transaction.run()
    }
}
