/// The integrator's name for a secure card: chosen by the application, unique within its terminal,
/// 1 to 48 characters.
public struct MerchantReference: Reference {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 48)
        self.text = text
    }
}
