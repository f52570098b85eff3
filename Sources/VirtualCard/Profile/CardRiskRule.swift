internal import TLV

/// How the card decides (EMV 4.4 Book 3, 10.8 and 10.11): amounts in the minor unit of the transaction currency.
public struct CardRiskRule: Sendable, Equatable {
    /// Declines above this amount, regardless of the requested cryptogram.
    public var declinesAbove: UInt64?
    /// Asks for the issuer above this amount where the terminal would approve offline.
    public var goesOnlineAbove: UInt64?
    /// Approves after the terminal could not reach the issuer, if the terminal asks for it.
    public var approvesWhenUnableToGoOnline = true
    /// Declines after an online answer that brought no issuer authentication. One that failed declines always.
    public var requiresIssuerAuthentication = false

    public init(declinesAbove: UInt64? = nil, goesOnlineAbove: UInt64? = nil) {
        self.declinesAbove = declinesAbove
        self.goesOnlineAbove = goesOnlineAbove
    }

    /// The cryptogram for the first GENERATE AC that asks for `requested`: that one or a lesser.
    func firstCryptogram(_ requested: CryptogramType, amount: UInt64) -> CryptogramType {
        if let declinesAbove, amount > declinesAbove { return .aac }
        if let goesOnlineAbove, amount > goesOnlineAbove { return min(requested, .arqc) }
        return requested
    }

    /// Whether the second GENERATE AC may give a TC.
    func approves(_ issuer: IssuerVerdict) -> Bool {
        switch issuer {
        case .unreachable: approvesWhenUnableToGoOnline
        case .notAuthenticated: !requiresIssuerAuthentication
        case .authenticated(let approves): approves
        case .failed: false
        }
    }
}

/// What the card knows of the issuer's answer.
enum IssuerVerdict: Equatable {
    /// The terminal says `Y3` or `Z3` (EMV 4.4 Book 4, annex A6).
    case unreachable
    /// No tag `91` came.
    case notAuthenticated
    /// The ARPC is right. `approves` is false where a card status update says so.
    case authenticated(approves: Bool)
    /// The ARPC is wrong.
    case failed
}
