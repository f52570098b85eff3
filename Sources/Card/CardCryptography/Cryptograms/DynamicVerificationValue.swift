/// dCVV: the code of a Visa card in mag-stripe mode (MSD) for one transaction, three digits of its
/// track.
///
/// Source: one published implementation (`dsc.py` of the EVC scripts); the payment system's book
/// was not available. It is the algorithm of CVV over other data and under the card's own key.
package enum DynamicVerificationValue {
    /// - Parameters:
    ///   - pan: At least 12 digits; the first four are replaced by those of the counter.
    ///   - expiry: YYMM, ASCII digits.
    ///   - counter: Tag `9F36`: its last four decimal digits.
    ///   - key: The card's key, triple DES.
    /// - Returns: Three ASCII digits.
    package static func compute(pan: AccountNumber, expiry: [UInt8], counter: UInt16, key: CardKey)
        throws(CryptogramError) -> [UInt8]
    {
        guard key.cipher == .tdes else { throw .cipher }
        try CryptogramError.check(expiry, count: 4)
        var digits = [1000, 100, 10, 1].map { UInt8(truncatingIfNeeded: Int(counter) / $0 % 10) }
        pan.withDigits { own in for index in own.indices.dropFirst(4) { digits.append(own[index]) } }
        digits += expiry.map { $0 & 0x0F }
        digits += [UInt8](repeating: 0, count: max(0, 32 - digits.count))
        let block = stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        let code = key.mac(block, padding: .zeros)
        // First the digits of the code, then the letters A to F as 0 to 5.
        let values = code.flatMap { [$0 >> 4, $0 & 0x0F] }
        return (values.filter { $0 < 10 } + values.filter { $0 >= 10 }.map { $0 - 10 }).prefix(3).map { $0 | 0x30 }
    }
}
