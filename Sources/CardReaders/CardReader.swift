public import EMVKernel

/// A device, or a driver with the kernel behind it, that turns a presented card into a ``CapturedCard`` and finishes the transaction with it.
///
/// The terminal does not know which kind it has: a plain chip reader under our kernel, or a reader that runs EMV itself.
public protocol CardReader: Sendable {
    /// What a person calls the reader: maker, model, serial number as far as known.
    var name: String { get }

    /// Reads a card for `request`.
    ///
    /// If the card wants the issuer to decide, or if it cannot decide itself (a stripe), `authorize` is called once with the card as captured so far,
    /// and the card is finished with the answer.
    func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome
}

/// What a transaction is about, in the terms of EMV data elements; money proper lives in the terminal above.
public struct CaptureRequest: Sendable {
    /// In minor units of the currency, cashback included; at most 12 digits.
    public var amount: UInt64
    /// The cashback within `amount`.
    public var cashback: UInt64
    /// ISO 4217 numeric code.
    public var currencyCode: UInt16
    /// ISO 4217 exponent: how many of the amount's digits are decimals.
    public var currencyExponent: UInt8
    public var kind: TransactionRequest.Kind
    /// Counts up with each transaction of the terminal, tag `9F41`.
    public var sequenceCounter: UInt32
    /// Asks for online authorisation whatever the card and the limits say.
    public var forceOnline: Bool

    public init(
        amount: UInt64, cashback: UInt64 = 0, currencyCode: UInt16, currencyExponent: UInt8 = 2, kind: TransactionRequest.Kind = .purchase,
        sequenceCounter: UInt32, forceOnline: Bool = false
    ) {
        self.amount = amount
        self.cashback = cashback
        self.currencyCode = currencyCode
        self.currencyExponent = currencyExponent
        self.kind = kind
        self.sequenceCounter = sequenceCounter
        self.forceOnline = forceOnline
    }
}

/// What the host said, as far as it concerns the card.
public enum IssuerAnswer: Sendable {
    case answered(Answer)
    /// The host could not be asked, or its answer is not known.
    case unreachable

    public struct Answer: Sendable {
        /// Tag `8A`, two characters: `00` approves.
        public var responseCode: String
        /// Tag `91`, 8 to 16 bytes: the ARPC and what goes with it.
        public var issuerAuthenticationData: [UInt8]?
        /// The templates `71` and `72`, whole, in the order in which they came.
        public var scripts: [[UInt8]]
        /// Tag `89`, six characters.
        public var authorisationCode: String?

        public init(
            responseCode: String, issuerAuthenticationData: [UInt8]? = nil, scripts: [[UInt8]] = [], authorisationCode: String? = nil
        ) {
            self.responseCode = responseCode
            self.issuerAuthenticationData = issuerAuthenticationData
            self.scripts = scripts
            self.authorisationCode = authorisationCode
        }
    }
}

/// How the transaction ended on the card's side.
public struct CaptureOutcome: Sendable {
    public enum Decision: Sendable, Equatable {
        case approvedOnline, approvedOffline
        case declinedOnline, declinedOffline
        /// No transaction came about; the text says why and what to do.
        case notPossible(String)
    }

    public var decision: Decision
    /// Nil only if no card data was read.
    public var card: CapturedCard?
    /// The cardholder is to sign (the last CVM was a signature).
    public var signatureWanted: Bool
    /// The host approved, yet the card or a later step declined: the authorisation must be reversed.
    public var reversalWanted: Bool

    public init(decision: Decision, card: CapturedCard?, signatureWanted: Bool = false, reversalWanted: Bool = false) {
        self.decision = decision
        self.card = card
        self.signatureWanted = signatureWanted
        self.reversalWanted = reversalWanted
    }
}

/// Why a reader could not carry a transaction through.
public enum CaptureError: Error, Equatable, Sendable {
    case noCardPresented
    case cardRemoved
    case cancelled
    /// The reader or the card failed; the text names the cure if one is known.
    case failed(String)
}

extension CaptureError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noCardPresented: "no card was presented"
        case .cardRemoved: "the card was removed before the end of the transaction"
        case .cancelled: "the transaction was cancelled"
        case .failed(let what): what
        }
    }
}
