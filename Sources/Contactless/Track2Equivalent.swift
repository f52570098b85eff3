internal import Bytes
package import TLV

/// The content of track 2 equivalent data, tag `57` (EMV 4.4 Book 3, annex A1).
package struct Track2Equivalent: Sendable, Equatable {
    /// ASCII digits, 8 to 19 of them.
    package let pan: [UInt8]
    /// YYMM, ASCII digits.
    package let expiry: [UInt8]

    /// Nil without tag `57`, or if it does not begin with PAN, `D` and a date.
    package init?(_ card: DataElements) {
        guard let bytes = card[.track2EquivalentData] else { return nil }
        self.init(encoded: bytes)
    }

    /// Nil if `bytes`, a value of tag `57` or `9F6B`, do not begin with PAN, `D` and a date.
    package init?(encoded bytes: [UInt8]) {
        guard bytes.count <= 19 else { return nil }
        let nibbles = bytes.flatMap { [$0 >> 4, $0 & 0x0F] }
        guard let separator = nibbles.firstIndex(of: 0x0D), (8...19).contains(separator), nibbles.count >= separator + 5 else {
            return nil
        }
        let date = nibbles[separator + 1..<separator + 5]
        guard nibbles[..<separator].allSatisfy({ $0 < 10 }), date.allSatisfy({ $0 < 10 }) else { return nil }
        pan = nibbles[..<separator].map { $0 | 0x30 }
        expiry = date.map { $0 | 0x30 }
    }

    /// Format `cn`, as in tag `5A`.
    package var encodedPAN: [UInt8]? { BCD.encode(digits: pan) }
}

extension DataElements {
    /// The PAN in ASCII digits, from tag `5A`, else from tag `57`; nil if neither is well formed.
    package var pan: [UInt8]? {
        guard let value = self[.applicationPAN] else { return Track2Equivalent(self)?.pan }
        guard value.count <= 10, let digits = BCD.digits(value), (8...19).contains(digits.count) else { return nil }
        return digits
    }

    /// YYMM in ASCII digits, from tag `5F24`, else from tag `57`.
    package var expiry: [UInt8]? {
        guard let value = self[.applicationExpirationDate] else { return Track2Equivalent(self)?.expiry }
        guard value.count == 3 else { return nil }
        let digits = value.prefix(2).flatMap { [$0 >> 4, $0 & 0x0F] }
        return digits.allSatisfy { $0 < 10 } ? digits.map { $0 | 0x30 } : nil
    }
}
