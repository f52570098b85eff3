private import Bytes
import PaymentTerminal

/// The form of the bench host's tokens: 296753, nine random digits, and the check digit; 16 digits
/// that no card scheme issues.
enum TokenFormat {
    static func random() -> SecureCardReference {
        let digits = Array("296753".utf8) + (0..<9).map { _ in UInt8.random(in: 0x30...0x39) }
        return SecureCardReference(String(decoding: digits + [Luhn.checkDigit(for: digits)], as: UTF8.self))
    }
}
