public import EMVKernel

extension Terminal {
    /// The configuration of a terminal, fixed before its first operation.
    public struct Configuration: Sendable {
        /// How a cardholder signs, if required.
        public enum SignatureCapture: Sendable {
            /// On the merchant's copy of the receipt.
            case onPaper
            /// On a screen or a pad: the terminal asks for it before the payment ends
            /// (``TerminalEvent/Content/signatureRequired(_:)``).
            ///
            /// - Parameter isVerified: Whether the merchant is then asked to compare it with the
            ///   card.
            case captured(isVerified: Bool)
        }

        /// The handling of parts of a payment that the host's interface does not support
        /// (``PaymentField``).
        public enum UnsentFields: Sendable {
            /// The payment is refused before a card is read. The error names the part.
            case refuse
            /// The payment is made without them; ``PaymentResponse/fieldsNotSent`` lists them.
            case list
        }

        /// Whether a card in the reader is verified by an authorisation of 0.00 before it is
        /// registered as a secure card.
        public enum SecureCardVerification: Sendable {
            /// Always; with a host that does not support this, no card is registered.
            case always
            /// Never: the card is registered without verification.
            case never
            /// With every host that supports it.
            case whereSupported
        }

        /// The purpose of a terminal.
        public enum Mode: Sendable {
            /// It refuses test keys, virtual cards and bench hosts. This is the default, so that a
            /// forgotten setting cannot send a customer's payment to a test system, or accept a
            /// virtual card.
            case production
            /// It accepts any reader and any host.
            case test
        }

        /// Production by default; ``Mode/test`` for benches and sandboxes.
        public var mode: Mode
        /// The name on receipts.
        public var merchantName: String
        /// The terminal's id at the host: ISO 8583 field 41, 8 characters.
        public var terminalID: String
        /// The only currency that the terminal accepts.
        public var currency: Currency
        /// The maximum amount of one payment; nil for the maximum of twelve digits.
        public var maximumAmount: Money?
        /// The names of the custom fields of payments and secure cards, as configured at the host;
        /// with nil, only the host checks them.
        public var customFields: Set<String>?
        /// Which of the issuer's response codes approve, for the terminal and for every reader that
        /// it connects. The host must use the same codes.
        public var responseCodes: ResponseCodes
        /// Whether the attendant is asked to call the issuer if its answer requests that (EMV 4.4
        /// Book 4, 6.5.2.2; ``TerminalEvent/Content/referralRequired(_:)``). By default, and with a
        /// host that cannot book the approval code, such a payment is declined.
        public var callsIssuer: Bool
        /// The payments that the terminal accepts while the host is unreachable; by default those
        /// that chips approve offline.
        public var offline: OfflinePolicy
        /// The cards that must not pay without authorization by their issuer; nil for none. Our
        /// kernels report it to card and issuer, and the action codes decide; a payment without a
        /// chip is not stored offline.
        public var exceptions: ExceptionFile?
        /// The readers that may be connected, and the cards that each refuses; nil allows every
        /// reader and every card.
        public var devices: DeviceList?
        /// How cardholders sign; on paper by default.
        public var signature: SignatureCapture
        /// The handling of terms that the host does not support; by default the payment is refused.
        public var unsentFields: UnsentFields
        /// Whether cards are verified before they are registered; by default with every host that
        /// supports it.
        public var secureCardVerification: SecureCardVerification
        /// The time limits for readers, host and people.
        public var limits: TimeLimits
        /// The minimum charge of the reader's battery for a payment, in percent, unless it is
        /// connected to power.
        public var minimumBattery: Int
        /// How many days the journal keeps finished entries before it deletes them; nil keeps them.
        /// The default is longer than the time in which a cardholder can dispute a payment (at most
        /// 540 days), so that the receipt is available.
        public var journalRetention: Int?
        /// A log of each operation for developers; nil, the default, writes none.
        public var paymentLog: PaymentLogFolder?

        /// A configuration with the default of each property.
        ///
        /// - Parameters:
        ///   - maximumAmount: In `currency`, which is the only one that the terminal takes.
        ///   - minimumBattery: In percent; below it no payment begins.
        ///   - journalRetention: In days; nil keeps finished entries.
        public init(
            merchantName: String, terminalID: String, currency: Currency, mode: Mode = .production,
            maximumAmount: Money? = nil,
            customFields: Set<String>? = nil, responseCodes: ResponseCodes = ResponseCodes(), callsIssuer: Bool = false,
            offline: OfflinePolicy = OfflinePolicy(),
            exceptions: ExceptionFile? = nil, devices: DeviceList? = nil,
            signature: SignatureCapture = .onPaper, unsentFields: UnsentFields = .refuse,
            secureCardVerification: SecureCardVerification = .whereSupported, limits: TimeLimits = TimeLimits(),
            minimumBattery: Int = 3, journalRetention: Int? = 550, paymentLog: PaymentLogFolder? = nil
        ) {
            self.mode = mode
            self.merchantName = merchantName
            self.terminalID = terminalID
            self.currency = currency
            self.maximumAmount = maximumAmount
            self.customFields = customFields
            self.responseCodes = responseCodes
            self.callsIssuer = callsIssuer
            self.offline = offline
            self.exceptions = exceptions
            self.devices = devices
            self.signature = signature
            self.unsentFields = unsentFields
            self.secureCardVerification = secureCardVerification
            self.limits = limits
            self.minimumBattery = minimumBattery
            self.journalRetention = journalRetention
            self.paymentLog = paymentLog
        }

        /// An amount in the terminal's ``currency``, which is the one of an amount that names none.
        ///
        /// - Parameter decimal: As ``Money/init(parsing:in:)`` reads it: `12.34`.
        public func amount(_ decimal: some StringProtocol) throws(MoneyError) -> Money {
            try Money(parsing: decimal, in: currency)
        }
    }
}
