/// The way to the issuer.
public protocol OnlineAuthorizer: Sendable {
    /// Asks for authorisation. It never throws: whatever goes wrong on the way, the answer is that there is none.
    func authorize(_ request: OnlineRequest) async -> OnlineAnswer
}

/// What goes to the issuer: the transaction's data, and the PIN if one was entered for it.
public struct OnlineRequest: Sendable {
    public let data: TransactionData
    public let pin: OnlinePIN?
}

/// A PIN as the PIN pad enciphered it.
public struct OnlinePIN: Sendable, Equatable {
    public let pinBlock: [UInt8]
    public let ksn: [UInt8]
}

public enum OnlineAnswer: Sendable {
    case answered(IssuerResponse)
    /// EMV 4.4 Book 4, 6.3.8: unable to go online.
    case unableToGoOnline
}

public struct IssuerResponse: Sendable {
    /// Tag `8A`, two characters of ASCII.
    public var responseCode: [UInt8]
    /// Tag `91`, 8 to 16 bytes.
    public var authenticationData: [UInt8]?
    /// Templates `71` and `72`, whole, in the order in which they came.
    public var scripts: [[UInt8]]
    /// Tag `89`.
    public var authorisationCode: [UInt8]?

    public init(
        responseCode: [UInt8], authenticationData: [UInt8]? = nil, scripts: [[UInt8]] = [], authorisationCode: [UInt8]? = nil
    ) {
        self.responseCode = responseCode
        self.authenticationData = authenticationData
        self.scripts = scripts
        self.authorisationCode = authorisationCode
    }

    /// EMV 4.4 Book 4, annex A6: 00, 10 and 11 approve.
    public var approves: Bool { responseCode.count == 2 && [[0x30, 0x30], [0x31, 0x30], [0x31, 0x31]].contains(responseCode) }
    /// EMV 4.4 Book 4, annex A6: 01 and 02 ask for a voice referral.
    public var refers: Bool { [[0x30, 0x31], [0x30, 0x32]].contains(responseCode) }
}

/// Authorisation response codes that the terminal itself sets, tag `8A` (EMV 4.4 Book 4, annex A6).
enum TerminalResponseCode {
    /// `Y1`
    static let offlineApproved: [UInt8] = [0x59, 0x31]
    /// `Z1`
    static let offlineDeclined: [UInt8] = [0x5A, 0x31]
    /// `Y3`
    static let unableToGoOnlineApproved: [UInt8] = [0x59, 0x33]
    /// `Z3`
    static let unableToGoOnlineDeclined: [UInt8] = [0x5A, 0x33]
}
