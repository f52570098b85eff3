/// A field of the integrator's own with a secure card, such as an invoice number; its name is configured at the host beforehand.
public struct CustomField: Sendable, Equatable, Codable {
    /// The most characters that a value may have.
    public static let limit = 100

    /// As it is configured at the host, and in ``Terminal/Configuration/customFields``.
    public let name: String
    /// At most ``limit`` Unicode scalars.
    public let value: String

    /// A field for a payment or a secure card; the terminal checks it before it is sent.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
