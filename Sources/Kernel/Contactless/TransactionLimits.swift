public import TLV

/// The flags and limits that pre-processing compares an amount with (EMV Contactless Book A, 5.2,
/// table 5-2; Book B, 3.1.1). Absent differs from zero and from false.
///
/// Amounts are in minor units of the transaction currency, at most 12 digits.
public struct TransactionLimits: Sendable, Equatable {
    /// Status Check Support flag.
    public var supportsStatusCheck: Bool?
    /// Zero Amount Allowed flag; absent allows a zero amount.
    public var allowsZeroAmount: Bool?
    /// Reader Contactless Transaction Limit: the lowest amount that is too high.
    public var transactionLimit: UInt64?
    /// Reader Contactless Floor Limit: the highest amount that may be approved offline.
    public var floorLimit: UInt64?
    /// Terminal Floor Limit, tag `9F1B`, used if ``floorLimit`` is absent.
    public var terminalFloorLimit: UInt32?
    /// Reader CVM Required Limit: the lowest amount that requires cardholder verification.
    public var cvmRequiredLimit: UInt64?

    public init(
        supportsStatusCheck: Bool? = nil, allowsZeroAmount: Bool? = nil, transactionLimit: UInt64? = nil,
        floorLimit: UInt64? = nil,
        terminalFloorLimit: UInt32? = nil, cvmRequiredLimit: UInt64? = nil
    ) {
        self.supportsStatusCheck = supportsStatusCheck
        self.allowsZeroAmount = allowsZeroAmount
        self.transactionLimit = transactionLimit
        self.floorLimit = floorLimit
        self.terminalFloorLimit = terminalFloorLimit
        self.cvmRequiredLimit = cvmRequiredLimit
    }
}

/// The result of pre-processing for one combination (EMV Contactless Book B, 3.1.1, table 3-1).
public struct PreProcessingIndicators: Sendable, Equatable {
    public var statusCheckRequested = false
    public var contactlessApplicationNotAllowed = false
    public var zeroAmount = false
    public var cvmRequiredLimitExceeded = false
    public var floorLimitExceeded = false
    /// Copy of TTQ, as sent to the card; nil if the combination has none.
    public var qualifiers: TerminalTransactionQualifiers?

    public init() {}

    /// Pre-processing of one combination (EMV Contactless Book B, 3.1.1.1 to 3.1.1.12).
    ///
    /// - Parameters:
    ///   - amount: Tag `9F02`, in minor units.
    ///   - currencyExponent: Tag `5F36`: how many of the amount's digits are decimals.
    ///   - qualifiers: TTQ as configured.
    public init(
        amount: UInt64, currencyExponent: UInt8, limits: TransactionLimits, qualifiers: TerminalTransactionQualifiers?
    ) {
        // 3.1.1.1, 3.1.1.2
        self.qualifiers = qualifiers?.subtracting([.onlineCryptogramRequired, .cvmRequired])
        // 3.1.1.3
        statusCheckRequested = limits.supportsStatusCheck == true && amount == Self.unit(currencyExponent)
        // 3.1.1.4
        if amount == 0 {
            if limits.allowsZeroAmount == false { contactlessApplicationNotAllowed = true } else { zeroAmount = true }
        }
        // 3.1.1.5
        if let limit = limits.transactionLimit, amount >= limit { contactlessApplicationNotAllowed = true }
        // 3.1.1.6, 3.1.1.7
        if let limit = limits.floorLimit ?? limits.terminalFloorLimit.map(UInt64.init) {
            floorLimitExceeded = amount > limit
        }
        // 3.1.1.8
        if let limit = limits.cvmRequiredLimit { cvmRequiredLimitExceeded = amount >= limit }
        // 3.1.1.9 to 3.1.1.12
        guard var copy = self.qualifiers else { return }
        if floorLimitExceeded || statusCheckRequested { copy.insert(.onlineCryptogramRequired) }
        if zeroAmount {
            if copy.contains(.offlineOnlyReader) {
                contactlessApplicationNotAllowed = true
            } else {
                copy.insert(.onlineCryptogramRequired)
            }
        }
        if cvmRequiredLimitExceeded { copy.insert(.cvmRequired) }
        self.qualifiers = copy
    }

    /// One unit of the currency in minor units; nil for an exponent that no amount of 12 digits
    /// has.
    private static func unit(_ exponent: UInt8) -> UInt64? {
        guard exponent < 12 else { return nil }
        return (0..<exponent).reduce(1) { unit, _ in unit * 10 }
    }
}
