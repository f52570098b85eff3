public import Contactless
public import EMVKernel
public import TLV

/// The configuration of Mastercard's kernel (EMV Contactless Book C-2, 4).
public struct Kernel2Configuration: KernelConfiguration {
    /// Tag `9F09`; a card's version is compared with each.
    public var versions: [UInt16] = [0x0002]
    /// Terminal action codes, DF8120 to DF8122.
    public var actionCodes = ActionCodes(
        denial: .init(rawValue: 0x84_0000_000C), online: .init(rawValue: 0x84_0000_000C),
        default: .init(rawValue: 0x84_0000_000C))
    /// DF8123: a greater amount sets its bit of the TVR. In minor units, like all limits below.
    public var floorLimit: UInt64
    /// DF8124: for a greater amount, the next application is selected.
    public var transactionLimit: UInt64
    /// DF8125: the transaction limit if card and reader support verification on the cardholder's
    /// device.
    public var deviceTransactionLimit: UInt64
    /// DF8126: a greater amount requires cardholder verification.
    public var cvmRequiredLimit: UInt64
    /// DF8118: byte 2 of `9F33` above ``cvmRequiredLimit``.
    public var verificationAboveLimit: TerminalCapabilities
    /// DF8119: byte 2 of `9F33` otherwise.
    public var verificationBelowLimit: TerminalCapabilities
    /// DF811B bit 6: verification on the cardholder's device.
    public var supportsDeviceVerification: Bool
    /// DF811B bit 8, inverted: a card without EMV mode is processed in mag-stripe mode.
    public var supportsMagstripeMode = true
    /// DF811E: the verification method in mag-stripe mode above ``cvmRequiredLimit``; nil for N/A.
    public var magstripeVerificationAboveLimit: ContactlessOutcome.Verification? = .signature
    /// DF812C: the method otherwise.
    public var magstripeVerificationBelowLimit: ContactlessOutcome.Verification? = ContactlessOutcome.Verification.none
    /// DF8131: messages for a phone that wants something of its owner (``PhoneMessage``). The first
    /// row that matches counts; if none does, the message is *not authorized*.
    public var phoneMessages = PhoneMessage.defaults
    /// DF812D: the display time of the last message, in units of 100 ms, up to 999,999.
    public var messageHoldTime: UInt32 = 13
    /// DF811D: the maximum number of torn transactions that are kept; with 0 there is no RECOVER
    /// AC.
    public var maximumTornTransactions = 0
    /// DF811C: how long they are kept, in seconds.
    public var tornTransactionLifetime = 300
    /// DF8104: whether to read the card's offline balance, if it has one, before GENERATE AC.
    public var readsBalanceBefore = false
    /// DF8105: whether to read it after a GENERATE AC that did not decline. The payment is valid
    /// whether or not the card answers.
    public var readsBalanceAfter = false
    /// DF811B bit 5, and the time limits of the protocol; nil for a reader without relay
    /// resistance.
    public var relayResistance: RelayResistanceLimits?
    /// What the terminal reads and writes in the data storage of cards; nil for a terminal without
    /// it.
    public var dataStorage: DataStorage?
    /// Whether bits 2 and 1 of TVR byte 5 say that relay resistance was not performed (01). In
    /// terminals by versions of the book without relay resistance they are zero.
    package var tellsRelayResistance = true

    public init(
        floorLimit: UInt64, transactionLimit: UInt64, deviceTransactionLimit: UInt64, cvmRequiredLimit: UInt64,
        verificationAboveLimit: TerminalCapabilities = [.signature],
        verificationBelowLimit: TerminalCapabilities = [.noCVM],
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

    /// A row of the phone message table, tag DF8131 (EMV Contactless Book C-2, annex A).
    public struct PhoneMessage: Sendable, Equatable {
        /// Bits of the POS cardholder interaction information DF4B, 3 bytes, that are compared.
        public var mask: UInt32
        /// What they must be.
        public var value: UInt32
        public var message: UserInterfaceRequest.Message
        public var status: UserInterfaceRequest.Status

        public init(
            mask: UInt32, value: UInt32, message: UserInterfaceRequest.Message, status: UserInterfaceRequest.Status
        ) {
            self.mask = mask
            self.value = value
            self.message = message
            self.status = status
        }

        /// See the phone: a CVM is required, the CVM or the PIN on the phone changes or conflicts,
        /// or its owner has to confirm. Otherwise *not authorized*.
        public static let defaults =
            [0x000001, 0x000800, 0x000400, 0x000100, 0x000200].map {
                PhoneMessage(mask: $0, value: $0, message: .seePhone, status: .notReady)
            } + [PhoneMessage(mask: 0, value: 0, message: .notAuthorized, status: .notReady)]
    }

    public func accepts(_ application: ApplicationInformation) -> Bool { application.name != nil }

    public func kernel(for activation: KernelActivation) -> any ContactlessKernel { Kernel2(self, activation) }
}

extension ApplicationInterchangeProfile {
    /// AIP byte 1 bit 2 and byte 2 bit 8, which contact applications do not have (EMV Contactless
    /// Book C-2, annex A).
    static let deviceVerificationSupported = Self(byte: 1, bit: 2)
    static let emvModeSupported = Self(byte: 2, bit: 8)
}

extension Combination {
    /// Mastercard credit and debit, `A0000000041010`, at an attended reader with a chip reader,
    /// with signature and verification on the consumer's device, and online PIN where `hasPINPad`.
    ///
    /// - Parameters:
    ///   - limits: The acquirer's limits. A floor limit of zero sends every payment online. Absent
    ///     limits count as zero; an absent transaction limit means no limit.
    ///   - relayResistance: For a reader with known transmission times to the card; nil disables
    ///     the protocol.
    public static func mastercard(
        limits: TransactionLimits, hasPINPad: Bool = false, relayResistance: RelayResistanceLimits? = nil
    ) -> Combination {
        // Entry Point's limits apply from their amount on, those of the kernel to greater amounts
        // (Book B, 3.1.1; Book C-2, 7.5).
        func below(_ limit: UInt64) -> UInt64 { limit > 0 ? limit - 1 : 0 }
        let transactionLimit = limits.transactionLimit.map(below) ?? .max
        var kernel = Kernel2Configuration(
            floorLimit: limits.floorLimit ?? limits.terminalFloorLimit.map(UInt64.init) ?? 0,
            transactionLimit: transactionLimit,
            deviceTransactionLimit: transactionLimit, cvmRequiredLimit: below(limits.cvmRequiredLimit ?? 0),
            verificationAboveLimit: hasPINPad ? [.encipheredOnlinePIN, .signature] : [.signature])
        kernel.magstripeVerificationAboveLimit = hasPINPad ? .onlinePIN : .signature
        // The default codes of the book have no bit for the floor limit.
        kernel.actionCodes.online.insert(.floorLimitExceeded)
        kernel.actionCodes.default.insert(.floorLimitExceeded)
        kernel.maximumTornTransactions = 2
        kernel.relayResistance = relayResistance
        return Combination(aid: [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10], limits: limits, kernel: kernel)
    }
}

extension CardVerification {
    /// Verification on the cardholder's device, if card and reader support it (EMV Contactless Book
    /// C-2, 7.5).
    init(onDeviceAboveLimit isAbove: Bool) {
        // 01 00 02 and 3F 00 02, which do not occur in CVM lists.
        self.init(
            results: CVMResults(isAbove ? [0x01, 0x00, 0x02] : [0x3F, 0x00, 0x02]) ?? .notPerformed,
            method: isAbove ? .consumerDevice : ContactlessOutcome.Verification.none)
    }
}
