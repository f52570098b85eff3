/// The integrator's id of one request, however often it is repeated: 1 to 64 characters.
///
/// The same key with the same request gets the same answer, also after a restart; with another
/// request it is refused.
public struct IdempotencyKey: Reference {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 64)
        self.text = text
    }
}
