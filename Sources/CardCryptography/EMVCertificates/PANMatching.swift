internal import Bytes

extension IssuerPublicKey {
    /// Whether the issuer identifier is the leftmost 3 to 8 digits of `pan` (EMV 4.4 Book 2, 5.3 and 6.3 step 8).
    ///
    /// - Parameter pan: tag 5A, format cn.
    public func matches(pan: [UInt8]) -> Bool {
        guard let identifier = BCD.digits(issuerIdentifier), let digits = BCD.digits(pan) else { return false }
        return identifier.count >= 3 && digits.starts(with: identifier)
    }
}

extension ECIssuerPublicKey {
    /// Whether the issuer identifier is the leftmost 3 to 10 digits of `pan` (EMV 4.4 Book 2, 12.3 step 4).
    ///
    /// - Parameter pan: tag 5A, format cn.
    public func matches(pan: [UInt8]) -> Bool {
        guard let identifier = BCD.digits(issuerIdentifier), let digits = BCD.digits(pan) else { return false }
        return identifier.count >= 3 && digits.starts(with: identifier)
    }
}

extension ICCPublicKey {
    /// Whether the certificate is for the application of `pan` (EMV 4.4 Book 2, 6.4 step 8).
    /// Padding is ignored.
    ///
    /// - Parameter pan: tag 5A, format cn.
    public func matches(pan: [UInt8]) -> Bool {
        guard let certified = BCD.digits(self.pan), let digits = BCD.digits(pan) else { return false }
        return !digits.isEmpty && certified == digits
    }
}
