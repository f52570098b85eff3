import CardCapture
public import PaymentTerminal

extension BenchHost {
    public func settings() async throws(HostError) -> HostSettings { hostSettings }

    public func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        try await status(of: orderID, for: nil)
    }

    /// As ``status(of:)``, for a sender that may speak for some terminals only.
    ///
    /// - Parameter terminals: nil for all of them. An order of another is unknown.
    public func status(of orderID: OrderID, for terminals: [String]?) async throws(HostError) -> OrderStatus {
        try await transaction { vault in
            guard let order = try vault.order(orderID, of: terminals) else {
                return try vault.isReversedEarly(orderID, of: terminals) ? .reversed : .notSeen
            }
            switch order.record.state {
            case .reversed: return .reversed
            case .pending: return .pending
            default: return .decided(order.response)
            }
        }
    }

    public func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        try await transaction { try $0.transactions(query) }
    }

    /// The cryptogram that the order ended with, tag `9F26`; nil until it has come.
    ///
    /// - Parameter terminals: nil for all of them.
    public func finalCryptogram(of orderID: OrderID, for terminals: [String]? = nil) async throws(HostError) -> [UInt8]?
    {
        try await transaction { try $0.order(orderID, of: terminals)?.finalCryptogram }
    }
}

extension StoredOrder {
    /// The answer that was given. Where the issuer was never asked, what stands for one (EMV 4.4
    /// Book 4, annex A6).
    var response: AuthorizationResponse {
        if let answer { return answer.response }
        if record.state == .declined {
            return AuthorizationResponse(
                uniqueReference: record.uniqueReference, issuer: IssuerAnswer.Answer(responseCode: "Z1"),
                authorizedAmount: Money(minorUnits: 0, currency: record.amount?.currency ?? .euro),
                message: "DECLINED OFFLINE",
                isAuthorized: false)
        }
        return AuthorizationResponse(
            uniqueReference: record.uniqueReference, issuer: IssuerAnswer.Answer(responseCode: "Y1"),
            authorizedAmount: record.authorizedAmount ?? record.amount ?? Money(minorUnits: 0, currency: .euro),
            message: "APPROVED OFFLINE",
            isAuthorized: true)
    }
}
