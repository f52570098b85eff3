public import Bytes

extension RESTGateway {
    /// An access token of the gateway that the application has fetched
    /// (``Account/Credential/clientToken(_:)``).
    public struct ClientToken: Sendable {
        /// Why a text is not a token.
        public enum Failure: Error, Equatable, Sendable {
            /// It is empty, or has bytes other than the visible ones of ASCII, as a header cannot
            /// carry them.
            case invalid
        }

        /// As it goes behind `Bearer` in the header.
        public let token: SecretBytes
        /// How long it is valid from when it was asked for; the next is fetched 30 seconds before.
        public let lifetime: Duration

        /// - Throws: ``Failure/invalid``.
        public init(_ token: SecretBytes, lifetime: Duration) throws(Failure) {
            guard !token.isEmpty, token.revealed().allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .invalid }
            self.token = token
            self.lifetime = lifetime
        }
    }
}

extension RESTGateway.ClientToken.Failure: CustomStringConvertible {
    public var description: String { "the client token is invalid: it needs one or more visible ASCII characters" }
}
