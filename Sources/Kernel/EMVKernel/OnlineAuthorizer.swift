/// The connection to the issuer.
public protocol OnlineAuthorizer: Sendable {
    /// Requests authorisation. It never throws: after any failure the result is "no answer".
    func authorize(_ request: OnlineRequest) async -> OnlineAnswer

    /// Makes the attendant call the issuer, as its answer requests, before the last GENERATE AC
    /// (EMV 4.4 Book 4, 6.5.2.2). Not called for unattended terminals.
    func resolveReferral(_ response: IssuerResponse, _ request: OnlineRequest) async -> ReferralAnswer
}

extension OnlineAuthorizer {
    /// The default makes no call: the transaction is declined.
    public func resolveReferral(_ response: IssuerResponse, _ request: OnlineRequest) async -> ReferralAnswer {
        .declined
    }
}

/// The result of a voice call to the issuer.
public enum ReferralAnswer: Sendable, Equatable {
    /// With the approval code that the issuer gave on the telephone, if any: tag `89`, 6 characters
    /// of ASCII.
    case approved(approvalCode: [UInt8]?)
    /// The issuer refused on the telephone, or the call was not made: the kernel asks the card for
    /// an AAC.
    case declined
}

/// What goes to the issuer: the transaction's data, and the PIN if one was entered for it.
public struct OnlineRequest: Sendable {
    /// The data objects at the time of the request, with PAN and track.
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

    /// Tells the host how to decrypt the block.
    public let format: Format
    /// 8 bytes under TDES, 16 under AES.
    public let pinBlock: [UInt8]
    /// Key serial number of the DUKPT key: 10 bytes under TDES, 12 under AES.
    public let ksn: [UInt8]
}

/// The result of a request to the issuer; it decides whether a reversal is due.
public enum OnlineAnswer: Sendable {
    /// The issuer decided; see its response code.
    case answered(IssuerResponse)
    /// No request was sent: unable to go online (EMV 4.4 Book 4, 12.2.1).
    case unableToGoOnline
    /// The request may have arrived, but there is no readable answer: unable to go online, and what
    /// the host may have booked must be reversed (EMV 4.4 Book 4, 12.2.3).
    case noAnswer
}

/// The data elements of the issuer's answer that the kernel and the card use.
public struct IssuerResponse: Sendable {
    /// Tag `8A`, two characters of ASCII.
    public var responseCode: [UInt8]
    /// Tag `91`, 8 to 16 bytes.
    public var authenticationData: [UInt8]?
    /// The complete templates `71` and `72`, in the order received.
    public var scripts: [[UInt8]]
    /// Tag `89`.
    public var approvalCode: [UInt8]?

    /// An answer with the data elements that the issuer sent.
    ///
    /// - Parameters:
    ///   - responseCode: Tag `8A`, two characters of ASCII; with another length the answer is
    ///     ignored.
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

/// The meaning of the issuer's authorisation response codes, tag `8A`. EMV refers to ISO 8583:1987,
/// field 39, and the acquirer.
public struct ResponseCodes: Sendable, Equatable {
    /// Two characters each. Add `10`, partly approved, only if the caller accepts the lower amount.
    public var approving: Set<String>
    /// The codes that request a voice call.
    public var referral: Set<String>

    /// By default `00`, `08` and `11` approve, and `01` and `02` request a voice call.
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
