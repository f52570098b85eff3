package import Bytes
package import TLV

/// The content of track 2 equivalent data, tag `57` (EMV 4.4 Book 3, annex A1).
package struct Track2Equivalent: Sendable, Equatable {
    /// ASCII digits, 8 to 19 of them.
    package let pan: SecretBytes
    /// YYMM, ASCII digits.
    package let expiry: [UInt8]

    /// Nil without tag `57`, or if it does not begin with PAN, `D` and a date.
    package init?(_ card: DataElements) {
        guard let track = card.withValue(of: .track2EquivalentData, { Self(encoded: $0) }) ?? nil else { return nil }
        self = track
    }

    /// Nil if `bytes`, a value of tag `57` or `9F6B`, do not begin with PAN, `D` and a date.
    package init?(encoded bytes: Span<UInt8>) {
        guard bytes.count <= 19 else { return nil }
        var nibbles: [UInt8] = []
        nibbles.reserveCapacity(2 * bytes.count)
        defer { wipe(&nibbles) }
        for index in bytes.indices {
            nibbles.append(bytes[index] >> 4)
            nibbles.append(bytes[index] & 0x0F)
        }
        guard let separator = nibbles.firstIndex(of: 0x0D), (8...19).contains(separator), nibbles.count >= separator + 5
        else {
            return nil
        }
        let date = nibbles[separator + 1..<separator + 5]
        guard nibbles[..<separator].allSatisfy({ $0 < 10 }), date.allSatisfy({ $0 < 10 }) else { return nil }
        var digits = nibbles[..<separator].map { $0 | 0x30 }
        pan = SecretBytes(wiping: &digits)
        expiry = date.map { $0 | 0x30 }
    }

    /// Format `cn`, as in tag `5A`.
    package var encodedPAN: SecretBytes? {
        pan.withArray { digits in
            var packed = BCD.encode(digits: digits) ?? []
            return packed.isEmpty ? nil : SecretBytes(wiping: &packed)
        }
    }
}

extension DataElements {
    /// The PAN in ASCII digits, from tag `5A`, else from tag `57`; nil if neither is well formed.
    package var pan: SecretBytes? {
        guard let count = count(of: .applicationPAN) else { return Track2Equivalent(self)?.pan }
        guard count <= 10, let digits = secretDigits(.applicationPAN), (8...19).contains(digits.count) else {
            return nil
        }
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
