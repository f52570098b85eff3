public import SmartCard

/// A contact EMV level 2 kernel (EMV 4.4, Books 1 to 4): its input is terminal data and a card, its
/// result an ``Outcome``.
///
/// The kernel has the terminal's configuration but no state of a transaction, so it can be used for
/// many cards. The caller passes in everything external. Every decision is a function over the
/// transaction's data, in `Decisions/`. `ContactTransaction` has the flow between card, cardholder
/// and issuer, in the order of Book 3, chapter 10.
///
/// Neither EMVCo nor another body has approved it; `docs/conformance.md` says what each test shows.
public struct ContactKernel: Sendable {
    /// The maximum number of records in an AFL, and of records read from a directory. The books set
    /// no limit; known cards have fewer than twenty.
    public static let maximumRecords = 64
    /// The maximum number of applications from SELECT next, or from a directory.
    public static let maximumCandidates = 32

    /// The maximum number of data bytes in an answer (EMV 4.4 Book 3, 6.1).
    public static let maximumAnswerLength = 256

    /// The configuration for every transaction.
    public let configuration: TerminalConfiguration

    /// A kernel with the terminal's configuration; an invalid one ends transactions with
    /// ``Termination/configuration(_:)``.
    public init(_ configuration: TerminalConfiguration) { self.configuration = configuration }

    /// Performs one transaction.
    ///
    /// - Parameters:
    ///   - observe: receives each step as it happens, on the caller's executor.
    /// - Returns: How it ended; see ``Outcome/decision``.
    public func perform(
        _ request: TransactionRequest, card: any CardChannel, cardholder: any Cardholder, issuer: any OnlineAuthorizer,
        environment: any EMVEnvironment, observe: ((KernelEvent) -> Void)? = nil
    ) async -> Outcome {
        await perform(
            request, card: card, cardholder: cardholder, issuer: issuer, environment: environment, logged: nil,
            observe: observe)
    }

    /// Performs a transaction with a log in place of the card.
    ///
    /// - Parameter logged: the result that is used if the authority's key is missing. With nil,
    ///   data authentication then fails, as in a terminal.
    package func perform(
        _ request: TransactionRequest, card: any CardChannel, cardholder: any Cardholder, issuer: any OnlineAuthorizer,
        environment: any EMVEnvironment, logged: LoggedAuthentication?, observe: ((KernelEvent) -> Void)? = nil
    ) async -> Outcome {
        var transaction = ContactTransaction(
            configuration: configuration, request: request, card: card, cardholder: cardholder, issuer: issuer,
            environment: environment,
            logged: logged, observe: observe)
        return await transaction.run()
    }
}
