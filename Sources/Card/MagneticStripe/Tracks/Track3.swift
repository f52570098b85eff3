public import Bytes

/// Track 3 of a bank card (ISO/IEC 4909): updated by terminals that can write, rarely used today.
///
/// The account number is read in every format; the fields after it only in format 01, the only
/// layout that the standard defines for interchange.
public struct Track3: Sendable {
    /// Two digits: the standard defines 01 and 02, each issuer its own 90 to 99.
    public let formatCode: String
    /// ASCII digits; nil if the track leaves them to track 2.
    public let pan: SecretBytes?
    /// Nil unless ``formatCode`` is 01.
    public let useAndSecurityData: UseAndSecurityData?

    /// The fields of format 01 after the account number.
    public struct UseAndSecurityData: Sendable {
        /// ISO 3166 numeric. The standard of 2006 no longer has it.
        public let countryCode: String?
        /// ISO 4217 numeric; 000 is not for interchange.
        public let currencyCode: String
        /// The power of ten by which the amounts are multiplied.
        public let currencyExponent: Int
        /// Four digits: the authorised and the remaining amount of a cycle.
        public let amountAuthorised: String
        public let amountRemaining: String
        /// YDDD, the first day of the cycle.
        public let cycleBegin: String
        /// Two digits.
        public let cycleLength: String
        /// The number of remaining PIN tries.
        public let retryCount: Int
        /// Six characters.
        public let pinParameters: SecretBytes?
        public let interchangeControl: Int
        /// Two digits each, type of account and service restriction: of the PAN, and of the first
        /// and second subsidiary account.
        public let accountTypes: [String]
        /// YYMM.
        public let expiry: String?
        public let cardSequenceNumber: String?
        /// Nine characters.
        public let cardSecurityNumber: SecretBytes?
        /// The first and the second. Empty if the track has no subsidiary account.
        public let subsidiaryAccounts: [SecretBytes]
        /// Whether and how the data are passed on with a transaction.
        public let relayMarker: String?
        /// Six characters.
        public let cryptoCheckDigits: SecretBytes?
        public let additionalData: SecretBytes

        init(_ fields: inout TrackFields) throws(TrackFormatError) {
            func number(_ digits: String) -> Int { Int(digits) ?? 0 }
            countryCode = try fields.takeDigits(3, else: .useAndSecurityData)
            currencyCode = try fields.takeDigitsAlways(3, else: .useAndSecurityData)
            currencyExponent = number(try fields.takeDigitsAlways(1, else: .useAndSecurityData))
            amountAuthorised = try fields.takeDigitsAlways(4, else: .useAndSecurityData)
            amountRemaining = try fields.takeDigitsAlways(4, else: .useAndSecurityData)
            cycleBegin = try fields.takeDigitsAlways(4, else: .useAndSecurityData)
            cycleLength = try fields.takeDigitsAlways(2, else: .useAndSecurityData)
            retryCount = number(try fields.takeDigitsAlways(1, else: .useAndSecurityData))
            pinParameters = try fields.takeSecret(6, else: .useAndSecurityData)
            interchangeControl = number(try fields.takeDigitsAlways(1, else: .useAndSecurityData))
            var types: [String] = []
            for _ in 0..<3 { types.append(try fields.takeDigitsAlways(2, else: .useAndSecurityData)) }
            accountTypes = types
            expiry = try fields.takeDigits(4, else: .expiry)
            cardSequenceNumber = try fields.takeDigits(1, else: .useAndSecurityData)
            cardSecurityNumber = try fields.takeSecret(9, else: .useAndSecurityData)
            subsidiaryAccounts = [fields.secret(fields.takeToSeparator()), fields.secret(fields.takeToSeparator())]
            relayMarker = try fields.takeDigits(1, else: .useAndSecurityData)
            cryptoCheckDigits = try fields.takeSecret(6, else: .useAndSecurityData)
            additionalData = fields.secret(fields.takeRest())
        }
    }

    public init(_ text: TrackText) throws(TrackFormatError) {
        guard text.code == .numeric else { throw .code }
        var fields = TrackFields(text)
        defer { fields.wipe() }
        formatCode = try fields.takeDigitsAlways(2, else: .formatCode)
        let digits = fields.takeToSeparator()
        guard digits.isEmpty || panLength.contains(digits.count), fields.areDigits(digits), fields.isSeparated else {
            throw .pan
        }
        pan = digits.isEmpty ? nil : fields.secret(digits)
        useAndSecurityData = formatCode == "01" ? try UseAndSecurityData(&fields) : nil
    }
}

extension Track3: CustomStringConvertible, CustomReflectable {
    public var description: String { "track 3 of format \(formatCode)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Track3.UseAndSecurityData: CustomStringConvertible, CustomReflectable {
    public var description: String { "use and security data of track 3" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
