/// What is wrong with a profile, and where.
public struct CardProfileError: Error, Equatable, Sendable {
    /// The place in the document: `applications[0].aid`; empty for the document itself.
    public let path: String
    /// What is wanted there, and what stands there instead. It never holds a card number, a PIN or a key.
    public let message: String

    init(_ path: String, _ message: String) {
        self.path = path
        self.message = message
    }
}

extension CardProfileError: CustomStringConvertible {
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}
