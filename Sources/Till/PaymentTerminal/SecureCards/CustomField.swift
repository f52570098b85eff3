private import TLV

/// A field of a payment or a secure card defined by the integrator, such as an invoice number; its
/// name is configured at the host beforehand.
public struct CustomField: Sendable, Equatable, Codable {
    /// The maximum number of characters of a value.
    public static let limit = 100

    /// As configured at the host, and in ``Terminal/Configuration/customFields``.
    public let name: String
    /// At most ``limit`` Unicode scalars, on one line.
    public let value: String

    /// A field for a payment or a secure card; the terminal checks it before sending.
    public init(name: String, value: String) {
        self.name = Masking.plain(name)
        self.value = Masking.plain(value)
    }
}
