public import EMVKernel

extension Terminal {
    /// The configuration of a terminal, fixed before its first operation.
    public struct Configuration: Sendable {
        /// How a cardholder signs who has to.
        public enum SignatureCapture: Sendable {
            /// On the merchant's copy of the receipt.
            case onPaper
            /// On a screen or a pad: the terminal asks for it before the payment ends (``TerminalEvent/Content/signatureRequired(_:)``).
            ///
            /// - Parameter isVerified: Whether the merchant is then asked to compare it with the card.
            case captured(isVerified: Bool)
        }

        /// What happens to parts of a payment that the host's interface has no place for (``PaymentField``).
        public enum UnsentFields: Sendable {
            /// The payment is refused, by the name of what cannot be sent, before a card is read.
            case refuse
            /// The payment is made without them; ``PaymentResponse/fieldsNotSent`` lists them.
            case list
        }

        /// Whether the issuer is asked about a card in the reader before it becomes a secure card, by an authorisation of 0.00.
        public enum SecureCardVerification: Sendable {
            /// Every time; with a host that cannot, no card is kept.
            case always
            /// The card is kept without a question to the issuer.
            case never
            /// With every host that can.
            case whereSupported
        }

        /// What a terminal is there for.
        public enum Mode: Sendable {
            /// It refuses test keys, cards that are programs, and bench hosts. The default: what is forgotten must not take a customer's money into a
            /// test system, or a made card for a customer's.
            case production
            /// It accepts any reader and any host.
            case test
        }

        /// Production by default; ``Mode/test`` for benches and sandboxes.
        public var mode: Mode
        /// As it is printed on receipts.
        public var merchantName: String
        /// What the host knows the terminal by: ISO 8583 field 41, 8 characters.
        public var terminalID: String
        /// The one currency that the terminal takes.
        public var currency: Currency
        /// The most that one payment may be; nil for what twelve digits hold.
        public var maximumAmount: Money?
        /// The names of the custom fields that payments and secure cards may have, as the host has them; nil leaves it to the host to refuse.
        public var customFields: Set<String>?
        /// Which of the issuer's answers approve, for the terminal and for every reader that it connects. The host is to say the same.
        public var responseCodes: ResponseCodes
        /// Whether the attendant is asked to call the issuer where its answer wants that (EMV 4.4 Book 4, 6.5.2.2;
        /// ``TerminalEvent/Content/referralRequired(_:)``). By default, and with a host that cannot book the approval code, such a payment
        /// is declined.
        public var callsIssuer: Bool
        /// What the terminal takes while the host cannot be
        /// reached; by default what chips approve offline.
        public var offline: OfflinePolicy
        /// The cards that must not pay without their issuer; nil for none. Our kernels tell card and issuer, and the action codes decide;
        /// a payment without a chip is not stored offline.
        public var exceptions: ExceptionFile?
        /// How cardholders sign; on paper by default.
        public var signature: SignatureCapture
        /// What happens to terms that the host cannot take; by default the payment is refused.
        public var unsentFields: UnsentFields
        /// Whether cards are verified before they are kept; by default with every host that can.
        public var secureCardVerification: SecureCardVerification
        /// How long readers, host and people may take.
        public var limits: TimeLimits
        /// Below so many percent of battery no payment with the reader begins, unless it is on power.
        public var minimumBattery: Int
        /// How many days the journal keeps finished entries, which it then deletes by itself; nil keeps them. The default is longer than payment
        /// systems let a cardholder dispute a payment (540 days at most), so that a receipt is at hand.
        public var journalRetention: Int?

        /// A configuration with the defaults named at each property.
        ///
        /// - Parameters:
        ///   - maximumAmount: In `currency`, which is the only one that the terminal takes.
        ///   - minimumBattery: In percent; below it no payment begins.
        ///   - journalRetention: In days; nil keeps finished entries.
        public init(
            merchantName: String, terminalID: String, currency: Currency, mode: Mode = .production, maximumAmount: Money? = nil,
            customFields: Set<String>? = nil, responseCodes: ResponseCodes = ResponseCodes(), callsIssuer: Bool = false,
            offline: OfflinePolicy = OfflinePolicy(),
            exceptions: ExceptionFile? = nil,
            signature: SignatureCapture = .onPaper, unsentFields: UnsentFields = .refuse,
            secureCardVerification: SecureCardVerification = .whereSupported, limits: TimeLimits = TimeLimits(),
            minimumBattery: Int = 3, journalRetention: Int? = 550
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
            self.signature = signature
            self.unsentFields = unsentFields
            self.secureCardVerification = secureCardVerification
            self.limits = limits
            self.minimumBattery = minimumBattery
            self.journalRetention = journalRetention
        }
    }
}
