internal import TLV

/// The card's rules for its decisions (EMV 4.4 Book 3, 10.8 and 10.11): amounts in the minor unit
/// of the transaction currency.
public struct CardRiskRule: Sendable, Equatable {
    /// Declines above this amount, regardless of the requested cryptogram.
    public var declinesAbove: UInt64?
    /// Goes online above this amount if the terminal would approve offline.
    public var goesOnlineAbove: UInt64?
    /// Approves if the terminal could not reach the issuer and requests a TC.
    public var approvesWhenUnableToGoOnline = true
    /// Declines after an online answer without issuer authentication. It always declines if the
    /// authentication failed.
    public var requiresIssuerAuthentication = false

    public init(declinesAbove: UInt64? = nil, goesOnlineAbove: UInt64? = nil) {
        self.declinesAbove = declinesAbove
        self.goesOnlineAbove = goesOnlineAbove
    }

    /// The cryptogram for a first GENERATE AC that requests `requested`: that type or a lower one.
    func firstCryptogram(_ requested: CryptogramType, amount: UInt64) -> CryptogramType {
        if let declinesAbove, amount > declinesAbove { return .aac }
        if let goesOnlineAbove, amount > goesOnlineAbove { return min(requested, .arqc) }
        return requested
    }

    /// Whether the second GENERATE AC may return a TC.
    func approves(_ issuer: IssuerVerdict) -> Bool {
        switch issuer {
        case .unreachable: approvesWhenUnableToGoOnline
        case .notAuthenticated: !requiresIssuerAuthentication
        case .authenticated(let approves): approves
        case .failed: false
        }
    }
}

/// The card's knowledge of the issuer's answer.
enum IssuerVerdict: Equatable {
    /// The terminal sent `Y3` or `Z3` (EMV 4.4 Book 4, annex A6).
    case unreachable
    /// There was no tag `91`.
    case notAuthenticated
    /// The ARPC is correct. `approves` is false if a card status update says so.
    case authenticated(approves: Bool)
    /// The ARPC is wrong.
    case failed
}
