public import Contactless
public import EMVKernel
public import TLV

/// What a combination sets Mastercard's kernel to (EMV Contactless Book C-2, 4).
public struct Kernel2Configuration: KernelConfiguration {
    /// Tag `9F09`; a card's version is compared with each.
    public var versions: [UInt16] = [0x0002]
    /// Terminal action codes, DF8120 to DF8122.
    public var actionCodes = ActionCodes(
        denial: .init(rawValue: 0x84_0000_000C), online: .init(rawValue: 0x84_0000_000C), default: .init(rawValue: 0x84_0000_000C))
    /// DF8123: a greater amount sets its bit of the TVR. Minor units, as all below.
    public var floorLimit: UInt64
    /// DF8124: a greater amount goes to the next application.
    public var transactionLimit: UInt64
    /// DF8125: the same, where card and reader have the cardholder verified on the card's device.
    public var deviceTransactionLimit: UInt64
    /// DF8126: a greater amount wants the cardholder verified.
    public var cvmRequiredLimit: UInt64
    /// DF8118: byte 2 of `9F33` above ``cvmRequiredLimit``.
    public var verificationAboveLimit: TerminalCapabilities
    /// DF8119: byte 2 of `9F33` otherwise.
    public var verificationBelowLimit: TerminalCapabilities
    /// DF811B bit 6: cardholder verification on the card's device.
    public var supportsDeviceVerification: Bool
    /// DF811B bit 8, the other way round: a card that has no EMV mode is taken by its tracks.
    public var supportsMagstripeMode = true
    /// DF811E: what verifies the cardholder in mag-stripe mode above ``cvmRequiredLimit``; nil for N/A.
    public var magstripeVerificationAboveLimit: ContactlessOutcome.Verification? = .signature
    /// DF812C: the same otherwise.
    public var magstripeVerificationBelowLimit: ContactlessOutcome.Verification? = ContactlessOutcome.Verification.none
    /// DF811D: how many GENERATE AC without an answer are kept; with 0 there is no RECOVER AC.
    public var maximumTornTransactions = 0
    /// DF811C: for how many seconds.
    public var tornTransactionLifetime = 300
    /// DF8104: whether the card is asked for its offline balance before GENERATE AC, where it has one.
    public var readsBalanceBefore = false
    /// DF8105: the same after a GENERATE AC that did not decline. The payment stands, whether or not the card answers.
    public var readsBalanceAfter = false
    /// DF811B bit 5, and what the protocol compares times with; nil for a reader without relay resistance.
    public var relayResistance: RelayResistanceLimits?
    /// Whether bits 2 and 1 of TVR byte 5 say that relay resistance was not performed (01). Terminals by versions of the book
    /// before the relay resistance protocol leave them zero.
    package var tellsRelayResistance = true

    public init(
        floorLimit: UInt64, transactionLimit: UInt64, deviceTransactionLimit: UInt64, cvmRequiredLimit: UInt64,
        verificationAboveLimit: TerminalCapabilities = [.signature], verificationBelowLimit: TerminalCapabilities = [.noCVM],
        supportsDeviceVerification: Bool = true
    ) {
        self.floorLimit = floorLimit
        self.transactionLimit = transactionLimit
        self.deviceTransactionLimit = deviceTransactionLimit
        self.cvmRequiredLimit = cvmRequiredLimit
        self.verificationAboveLimit = verificationAboveLimit
        self.verificationBelowLimit = verificationBelowLimit
        self.supportsDeviceVerification = supportsDeviceVerification
    }

    public var identifier: KernelIdentifier { .kernel2 }

    public func accepts(_ application: ApplicationInformation) -> Bool { application.name != nil }

    public func kernel(for activation: KernelActivation) -> any ContactlessKernel { Kernel2(self, activation) }
}

extension ApplicationInterchangeProfile {
    /// AIP byte 1 bit 2 and byte 2 bit 8, which contact applications do not have (EMV Contactless
    /// Book C-2, annex A).
    static let deviceVerificationSupported = Self(byte: 1, bit: 2)
    static let emvModeSupported = Self(byte: 2, bit: 8)
}
