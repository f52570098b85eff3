/// What the integrator calls one wish, however often it has to be said: 1 to 64 characters.
///
/// The same key with the same request gets the same answer, across restarts too; with another request it is refused.
public struct IdempotencyKey: Reference {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 64)
        self.text = text
    }
}
