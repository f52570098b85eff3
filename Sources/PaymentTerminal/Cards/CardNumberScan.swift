private import MagneticStripe
private import TLV

/// Card numbers in free text: runs of 12 to 19 digits, no digit before or after, with a right check digit (ISO/IEC 7812-1).
enum CardNumberScan {
    static func containsCardNumber(_ text: String) -> Bool { !ranges(in: Array(text.utf8)).isEmpty }

    /// `text` with every card number masked: the last gate for words that come from a host or a reader.
    static func masked(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for range in ranges(in: bytes) { bytes.replaceSubrange(range, with: Redaction.maskedPAN(bytes[range]).utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        bytes.indices.split { !(0x30...0x39).contains(bytes[$0]) }
            .map { $0.startIndex..<$0.endIndex }
            .filter { (12...19).contains($0.count) && Luhn.isValid(bytes[$0]) }
    }
}
