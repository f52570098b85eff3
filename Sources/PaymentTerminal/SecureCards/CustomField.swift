/// A field of the integrator's own with a secure card, such as an invoice number; its name is configured at the host beforehand.
public struct CustomField: Sendable, Equatable, Codable {
    /// The most characters that a value may have.
    public static let limit = 100

    public let name: String
    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
