internal import Bytes

/// A personal identification number: 4 to 12 digits (ISO 9564-1, 8.1), never printed.
public struct PIN: Sendable, Equatable {
    /// The values 0 to 9, first digit first.
    private let digits: SecretBytes

    /// Nil unless `ascii` is 4 to 12 ASCII digits.
    public init?(ascii: some Collection<UInt8>) {
        var values = ascii.map { $0 &- 0x30 }
        self.init(wiping: &values)
    }

    /// A PIN of 4 to 12 values, each 0 to 9; nil otherwise. The values are always wiped.
    init?(wiping values: inout [UInt8]) {
        defer { wipe(&values) }
        guard (4...12).contains(values.count), values.allSatisfy({ $0 < 10 }) else { return nil }
        digits = SecretBytes(values)
    }

    public var count: Int { digits.count }

    /// Calls `body` with the digits' values 0 to 9, first digit first.
    func withDigits<Result>(_ body: (Span<UInt8>) -> Result) -> Result { digits.withBytes(body) }
}
