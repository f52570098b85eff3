internal import Bytes

extension IssuerPublicKey {
    /// Whether the issuer identifier is the leftmost 3 to 8 digits of `pan` (EMV 4.4 Book 2, 5.3
    /// and 6.3 step 8).
    ///
    /// - Parameter pan: tag 5A, format cn.
    public func matches(pan: [UInt8]) -> Bool { matches(pan: pan.span) }

    package func matches(pan: Span<UInt8>) -> Bool {
        let identifier = fields.identity
        return identifier.span.isIssuerIdentifier(of: pan)
    }
}

extension ECIssuerPublicKey {
    /// Whether the issuer identifier is the leftmost 3 to 10 digits of `pan` (EMV 4.4 Book 2, 12.3
    /// step 4).
    ///
    /// - Parameter pan: tag 5A, format cn.
    public func matches(pan: [UInt8]) -> Bool { issuerIdentifier.span.isIssuerIdentifier(of: pan.span) }
}

extension ICCPublicKey {
    /// Whether the certificate is for the application of `pan` (EMV 4.4 Book 2, 6.4 step 8).
    /// Padding is ignored.
    ///
    /// - Parameter pan: tag 5A, format cn.
    public func matches(pan: [UInt8]) -> Bool { matches(pan: pan.span) }

    package func matches(pan: Span<UInt8>) -> Bool {
        let identity = fields.identity
        let certified = identity.span
        guard let count = BCD.digitCount(certified), count > 0, count == BCD.digitCount(pan) else { return false }
        return BCD.haveSameDigits(certified, pan, count: count)
    }
}

extension Span<UInt8> {
    /// Whether these digits, at least 3, are the leftmost of `pan`; both in format cn.
    fileprivate func isIssuerIdentifier(of pan: Span<UInt8>) -> Bool {
        guard let count = BCD.digitCount(self), count >= 3, let digits = BCD.digitCount(pan), digits >= count else {
            return false
        }
        return BCD.haveSameDigits(self, pan, count: count)
    }
}
