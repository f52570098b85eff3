/// The way to the issuer.
public protocol OnlineAuthorizer: Sendable {
    /// Asks for authorisation. It never throws: after any failure the result is "no answer".
    func authorize(_ request: OnlineRequest) async -> OnlineAnswer

    /// Has the attendant call the issuer, which its answer asks for, before the card is asked for its last cryptogram (EMV 4.4 Book 4, 6.5.2.2).
    /// Unattended terminals are not asked.
    func resolveReferral(_ response: IssuerResponse, _ request: OnlineRequest) async -> ReferralAnswer
}

extension OnlineAuthorizer {
    /// Nobody calls: the transaction is declined.
    public func resolveReferral(_ response: IssuerResponse, _ request: OnlineRequest) async -> ReferralAnswer { .declined }
}

/// The result of a voice call to the issuer.
public enum ReferralAnswer: Sendable, Equatable {
    /// With the code that the issuer gave on the telephone, tag `89`, 6 characters of ASCII, if it gave one.
    case approved(approvalCode: [UInt8]?)
    /// The issuer refused on the telephone, or the call was not made: the kernel asks the card for an AAC.
    case declined
}

/// What goes to the issuer: the transaction's data, and the PIN if one was entered for it.
public struct OnlineRequest: Sendable {
    /// The data objects at the moment of the question, with PAN and track.
    public let data: TransactionData
    /// Nil unless the cardholder entered a PIN for online verification.
    public let pin: OnlinePIN?
}

/// A PIN as the PIN pad enciphered it.
public struct OnlinePIN: Sendable, Equatable {
    /// Format of the block before encipherment (ISO 9564-1:2017, 9.3).
    public enum Format: Int, Sendable {
        /// PIN and card number combined, filled up with `F`: 8 bytes, TDES.
        case iso0 = 0
        /// As format 0, filled up with random digits from `A` to `F`: 8 bytes, TDES.
        case iso3 = 3
        /// PIN block bound to the card number by two encipherments: 16 bytes, AES.
        case iso4 = 4
    }

    /// Tells the host how to open the block.
    public let format: Format
    /// 8 bytes under TDES, 16 under AES.
    public let pinBlock: [UInt8]
    /// Key serial number of the DUKPT key: 10 bytes under TDES, 12 under AES.
    public let ksn: [UInt8]
}

/// The result of a question to the issuer; it decides whether a reversal is due.
public enum OnlineAnswer: Sendable {
    /// The issuer decided: its response code says how.
    case answered(IssuerResponse)
    /// No request went out: unable to go online (EMV 4.4 Book 4, 12.2.1).
    case unableToGoOnline
    /// The request may have arrived, but no answer came, or none that can be read: unable to go online, and what the host may have booked is to be
    /// reversed (EMV 4.4 Book 4, 12.2.3).
    case noAnswer
}

/// The data elements of the issuer's answer that the kernel and the card use.
public struct IssuerResponse: Sendable {
    /// Tag `8A`, two characters of ASCII.
    public var responseCode: [UInt8]
    /// Tag `91`, 8 to 16 bytes.
    public var authenticationData: [UInt8]?
    /// Templates `71` and `72`, whole, in the order in which they came.
    public var scripts: [[UInt8]]
    /// Tag `89`.
    public var approvalCode: [UInt8]?

    /// An answer with the data elements that the issuer sent.
    ///
    /// - Parameters:
    ///   - responseCode: Tag `8A`, two characters of ASCII;
    ///     with another length the answer counts as none.
    ///   - authenticationData: Tag `91`, 8 to 16 bytes; with
    ///     another length issuer authentication fails.
    public init(
        responseCode: [UInt8], authenticationData: [UInt8]? = nil, scripts: [[UInt8]] = [], approvalCode: [UInt8]? = nil
    ) {
        self.responseCode = responseCode
        self.authenticationData = authenticationData
        self.scripts = scripts
        self.approvalCode = approvalCode
    }
}

/// Which of the issuer's authorisation response codes, tag `8A`, mean what. EMV leaves them to ISO 8583:1987, field 39, and the acquirer.
public struct ResponseCodes: Sendable, Equatable {
    /// Two characters each. `10`, partly approved, belongs here only where whoever uses the kernel takes the lesser amount.
    public var approving: Set<String>
    /// Those that want a voice call.
    public var referral: Set<String>

    /// By default `00`, `08` and `11` approve, and `01` and `02` ask for a voice call.
    public init(approving: Set<String> = ["00", "08", "11"], referral: Set<String> = ["01", "02"]) {
        self.approving = approving
        self.referral = referral
    }

    /// Whether the two characters of `code` are among ``approving``.
    public func approves(_ code: String) -> Bool { approving.contains(code) }
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
