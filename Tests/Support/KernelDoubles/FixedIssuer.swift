public import EMVKernel

/// An issuer that gives every transaction the same answer.
public struct FixedIssuer: OnlineAuthorizer {
    private let answer: OnlineAnswer

    public init(_ answer: OnlineAnswer) { self.answer = answer }

    /// Approves without a cryptogram of its own.
    public static var approving: FixedIssuer { FixedIssuer(.answered(IssuerResponse(responseCode: Array("00".utf8)))) }
    public static var unreachable: FixedIssuer { FixedIssuer(.unableToGoOnline) }

    public func authorize(_ request: OnlineRequest) async -> OnlineAnswer { answer }
}
