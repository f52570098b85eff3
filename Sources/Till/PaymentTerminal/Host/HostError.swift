private import TLV

/// Why a request to a host failed.
public struct HostError: Error, Sendable, Equatable {
    /// The reason, by which the terminal decides whether a
    /// request may be repeated or must be reversed.
    public enum Code: Sendable, Hashable {
        /// The host refused the request: it did nothing.
        case refused(Refusal)
        /// No answer of the host can be used.
        case failed(Failure)
    }

    /// Why a request is refused, by the host or by the terminal before it asks the host. Nothing
    /// was done.
    ///
    /// The raw values are stable: programs and logs may keep them.
    public enum Refusal: String, Sendable, CaseIterable {
        /// The host has had an order with this id: choose another order id.
        case orderAlreadyProcessed
        /// No transaction has the reference: check it.
        case transactionUnknown
        /// The transaction, or the terminal, is not in a state for this, or the amount is more than
        /// is left of the transaction.
        case notAllowed
        /// The merchant reference is taken: choose another, or update the secure card.
        case secureCardExists
        /// No secure card has this merchant reference, or it has another token.
        case secureCardUnknown
        /// The secure card of the token was deleted: register the card again.
        case secureCardDeleted
        /// The host does not accept this card: use another.
        case cardRefused
        /// The validation of a card by its CVV failed, and the card was not kept: check the digits.
        case validationFailed
        /// A part of the request is not allowed or not configured: the message names it.
        case invalidRequest
        /// The host does not know the terminal or its key, or does not allow it this.
        case notAuthorized
        /// The host's interface cannot do this: use another, or leave the part out that the message
        /// names.
        case notSupported
    }

    /// Why no answer of the host can be used.
    ///
    /// The raw values are stable: programs and logs may keep them.
    public enum Failure: String, Sendable, CaseIterable {
        /// The request never left: nothing happened at the host. Try again later.
        case unreachable = "hostUnreachable"
        /// The request left and no answer came: what happened at the host is not known. Ask for it
        /// later.
        case noAnswer = "noHostAnswer"
        /// An answer came whose hash or form is wrong: what happened at the host is not known.
        case answerNotGenuine
        /// The host cannot do its work: its disk is full, its database broken. What it did before
        /// that is not known, and a network that repeats requests may give this answer to the
        /// second of two of which the host took the first.
        case internalError = "hostInternalError"
    }

    /// Why a host was not reached, or does not take what it is asked.
    ///
    /// The raw values are stable: programs and logs may keep them.
    public enum Fault: String, Sendable, CaseIterable, Codable {
        /// Nobody knows the name in the address: check its spelling, and the name server.
        case nameNotFound
        /// Nothing listens at the address: check the port, and whether the host runs.
        case connectionRefused
        /// No network leads to the address: check cables and routes.
        case noRoute
        /// No connection was made in time: check address, network and firewall.
        case timedOut
        /// The host's certificate has expired: have it renewed.
        case certificateExpired
        /// The host's certificate is valid from a later time on: check this machine's clock.
        case certificateNotYetValid
        /// The host's certificate is for another name: use the name that it has.
        case certificateForOtherName
        /// No authority that is trusted has issued the host's certificate: give the file of the one
        /// that has.
        case certificateNotTrusted
        /// The host's certificate has a short key, an old digest, no alternative name, or one that
        /// stands for all hosts: have it replaced.
        case certificateUnfit
        /// There is no TLS 1.2 or later at the address: check the port.
        case noTLS
        /// A server answers there that knows no such page: check the path of the address.
        case wrongAddress
        /// The host does not know the key, the secret or the terminal: check them.
        case credentialsRefused
    }

    /// The reason, for programs.
    public let code: Code
    /// Why the host was not reached, or does not take this terminal's requests; nil for another
    /// reason, or if it is not known.
    public let fault: Fault?
    /// The reason and the cure, on one line and without card data, whatever the host said.
    public let message: String

    /// An error for a host's client to throw.
    ///
    /// - Parameters:
    ///   - code: The reason, for programs.
    ///   - message: The reason and the cure, without card data.
    ///   - fault: Why the host was not reached, if that is known; of a request that is not
    ///     authorized, its credentials.
    public init(_ code: Code, _ message: String, fault: Fault? = nil) {
        self.code = code
        self.fault = fault ?? (code == .refused(.notAuthorized) ? .credentialsRefused : nil)
        self.message = Masking.text(message)
    }

    /// A refusal, for a host's client to throw.
    ///
    /// - Parameters:
    ///   - refusal: The reason, for programs.
    ///   - message: Why, and what to do about it, without card data.
    public init(_ refusal: Refusal, _ message: String) { self.init(.refused(refusal), message) }

    /// A failure, for a host's client to throw.
    ///
    /// - Parameters:
    ///   - failure: The reason, for programs.
    ///   - message: Why, and what to do about it, without card data.
    ///   - fault: Why the host was not reached, if that is known.
    public init(_ failure: Failure, _ message: String, fault: Fault? = nil) {
        self.init(.failed(failure), message, fault: fault)
    }

    /// The same reason, of a question that came before the request: nothing of the request has
    /// left.
    package var beforeRequest: HostError { HostError(.unreachable, message, fault: fault) }

    /// The same reason, of a request that may have been carried out.
    package var afterRequest: HostError { HostError(.noAnswer, message, fault: fault) }

    /// Whether the host has answered that it does not carry the request out.
    public var isRefusal: Bool {
        switch code {
        case .refused: true
        case .failed: false
        }
    }

    /// Whether the host may have carried the request out all the same.
    public var leavesOutcomeUnknown: Bool {
        switch code {
        case .refused, .failed(.unreachable): false
        case .failed(.noAnswer), .failed(.answerNotGenuine), .failed(.internalError): true
        }
    }
}

extension HostError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension HostError.Code: CustomStringConvertible {
    /// The raw value of the refusal or of the failure.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.rawValue
        case .failed(let failure): failure.rawValue
        }
    }
}
