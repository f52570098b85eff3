/// The id of a payment in the integrator's system: 1 to 50 characters, unique within the merchant.
public struct ExternalID: Reference {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 50)
        self.text = text
    }
}
