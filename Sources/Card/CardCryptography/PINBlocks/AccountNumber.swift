internal import Bytes

/// The digits of a PAN for key derivations and PIN blocks. 1 to 19 digits, never printed.
public struct AccountNumber: Sendable, Equatable {
    /// The values 0 to 9, first digit first.
    private let digits: SecretBytes

    /// Nil unless `ascii` is 1 to 19 ASCII digits.
    public init?(ascii: some Collection<UInt8>) {
        guard (1...19).contains(ascii.count), ascii.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var values = ascii.map { $0 - 0x30 }
        digits = SecretBytes(wiping: &values)
    }

    /// Nil unless `cn` is 1 to 19 digits in format cn, as in tag 5A.
    public init?(cn: [UInt8]) {
        guard var ascii = BCD.digits(cn) else { return nil }
        defer { wipe(&ascii) }
        self.init(ascii: ascii)
    }

    var count: Int { digits.count }

    /// Calls `body` with the digits' values 0 to 9, first digit first.
    func withDigits<Result>(_ body: (Span<UInt8>) -> Result) -> Result { digits.withBytes(body) }
}
