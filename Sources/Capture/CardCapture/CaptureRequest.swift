public import EMVKernel

/// The parameters of a transaction as EMV data elements. Payments are a matter of the terminal
/// above.
public struct CaptureRequest: Sendable {
    /// In minor units of the currency, cashback included; at most 12 digits.
    public var amount: UInt64
    /// The cashback within `amount`.
    public var cashback: UInt64
    /// ISO 4217 numeric code.
    public var currencyCode: UInt16
    /// ISO 4217 exponent: how many of the amount's digits are decimals.
    public var currencyExponent: UInt8
    /// The type of transaction, tag `9C`.
    public var kind: TransactionRequest.Kind
    /// Incremented with each transaction of the terminal, tag `9F41`.
    public var sequenceCounter: UInt32
    /// Forces online authorization, regardless of card and limits.
    public var forcesOnline: Bool
    /// Which of the issuer's response codes approve. The caller and the reader both use it.
    public var responseCodes: ResponseCodes
    /// What the terminal remembers of cards; nil for nothing. Only our own kernels use it.
    public var memory: (any CardMemory)?
    /// Makes the attendant call the issuer (EMV 4.4 Book 4, 6.5.2.2). A reader calls it at most
    /// once, after an answer whose code is among the ``responseCodes`` for referrals and before the
    /// card is finished. With nil, the payment is declined. Stripes, taps and our contact kernel
    /// use it. For readers with ``ReaderCapabilities/ownKernel`` the terminal calls it before they
    /// get the answer.
    public var resolveReferral: (@Sendable () async -> ReferralAnswer)?

    /// A request of `amount` minor units; by default a
    /// purchase without cashback, with two decimals.
    public init(
        amount: UInt64, cashback: UInt64 = 0, currencyCode: UInt16, currencyExponent: UInt8 = 2,
        kind: TransactionRequest.Kind = .purchase,
        sequenceCounter: UInt32, forcesOnline: Bool = false, responseCodes: ResponseCodes = ResponseCodes(),
        memory: (any CardMemory)? = nil
    ) {
        self.amount = amount
        self.cashback = cashback
        self.currencyCode = currencyCode
        self.currencyExponent = currencyExponent
        self.kind = kind
        self.sequenceCounter = sequenceCounter
        self.forcesOnline = forcesOnline
        self.responseCodes = responseCodes
        self.memory = memory
    }
    /// The answer for a card, or a kernel, that takes no referral: after an approval on the
    /// telephone that of an approval (`00`).
    package func resolved(_ answer: IssuerAnswer) async -> IssuerAnswer {
        guard case .answered(var referral) = answer, responseCodes.referral.contains(referral.responseCode),
            case .approved = await resolveReferral?()
        else { return answer }
        referral.responseCode = "00"
        return .answered(referral)
    }

    /// For devices that accept amounts of at most twelve digits.
    package func checkAmounts() throws(CaptureError) {
        guard max(amount, cashback) <= 999_999_999_999 else { throw .amountTooLong }
    }
}
