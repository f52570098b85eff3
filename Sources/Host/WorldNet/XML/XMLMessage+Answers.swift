public import CardCapture
public import PaymentTerminal

extension XMLMessage {
    /// The answer to a payment, a refund or a capture.
    ///
    /// - Parameters:
    ///   - moment: of the answer.
    ///   - original: what the answer names instead of the transaction itself: of a referenced
    ///     refund and a capture the interface tells the reference of the original only.
    public init(_ response: AuthorizationResponse, to form: XMLForm, at moment: Timestamp, original: String? = nil) {
        self.init(form)
        let result = ResultCode(responseCode: response.issuer.responseCode)
        self[.uniqueReference] = original ?? response.uniqueReference
        self[.responseCode] = (result.approves ? ResultCode.approved : result).rawValue
        self[.responseText] = String(response.message.prefix(30))
        self[.approvalCode] = response.issuer.approvalCode
        self[.dateTime] = GatewayDate.text(moment)
        if form.has(XMLField.bankResponseCode.rawValue) { self[.bankResponseCode] = response.issuer.responseCode }
        if result.approves { self[.authorizedAmount] = response.authorizedAmount.decimal }
        self[.avsResponse] = response.checks.address
        self[.cvvResponse] = response.checks.cvv
    }

    /// What the answer says was decided.
    ///
    /// - Parameter requested: what the request was for.
    public func response(requested: Money) throws(HostError) -> AuthorizationResponse {
        // What is accepted for later is not decided.
        guard let code = self[.responseCode], let result = ResultCode(rawValue: code), result != .accepted else {
            throw .answerNotUnderstood
        }
        let responseCode = self[.bankResponseCode] ?? result.responseCode
        let issuerResult = ResultCode(responseCode: responseCode)
        let isApproved = issuerResult.approves
        // An answer whose two codes contradict each other says nothing.
        guard result.approves == isApproved else { throw .answerNotUnderstood }
        let authorized = try statedMoney(.authorizedAmount, requested.currency)
        let approval: ResultCode =
            result == .partlyApproved || issuerResult == .partlyApproved ? .partlyApproved : result
        let amount = try approval.amount(authorized: authorized, requested: requested, in: requested.currency)
        return AuthorizationResponse(
            uniqueReference: self[.uniqueReference] ?? "",
            issuer: IssuerAnswer.Answer(
                responseCode: isApproved && amount != requested ? "10" : responseCode, approvalCode: self[.approvalCode]
            ),
            authorizedAmount: amount, checks: CardholderChecks(address: self[.avsResponse], cvv: self[.cvvResponse]),
            message: self[.responseText] ?? "", isAuthorized: isApproved)
    }

    /// An amount of an answer; nil only if the answer has none.
    private func statedMoney(_ field: XMLField, _ currency: Currency) throws(HostError) -> Money? {
        guard self[field] != nil else { return nil }
        do throws(HostError) { return try money(field, currency) } catch { throw .answerNotUnderstood }
    }

    /// The host's record of an order (not of the published interface).
    public init(_ status: OrderStatus, of orderID: OrderID, at moment: Timestamp) {
        switch status {
        case .decided(let response):
            self.init(response, to: .orderStatusResponse, at: moment)
            self[.orderState] = "DECIDED"
            self[.currency] = response.authorizedAmount.currency.code
            self[.authorizedAmount] = response.authorizedAmount.decimal
            self[.cardReference] = response.secureCardReference?.text
        case .notSeen, .pending, .reversed:
            self.init(.orderStatusResponse)
            self[.dateTime] = GatewayDate.text(moment)
            self[.orderState] =
                switch status {
                case .notSeen: "NOTSEEN"
                case .pending: "PENDING"
                default: "REVERSED"
                }
        }
        self[.orderID] = orderID.text
    }

    public func orderStatus() throws(HostError) -> OrderStatus {
        switch self[.orderState] {
        case "NOTSEEN": return .notSeen
        case "PENDING": return .pending
        case "REVERSED": return .reversed
        case "DECIDED":
            guard let currency = Currency(code: self[.currency] ?? ""),
                let amount = try statedMoney(.authorizedAmount, currency)
            else {
                throw .answerNotUnderstood
            }
            return .decided(try response(requested: amount))
        default: throw .answerNotUnderstood
        }
    }
}

extension HostError {
    static let answerNotUnderstood = HostError(
        .answerNotGenuine, "the gateway's answer is malformed: look up the order before you try again")
}
