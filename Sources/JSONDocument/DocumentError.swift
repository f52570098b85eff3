private import TLV

/// A fault in a JSON document (a card profile, a test plan, a terminal's configuration), and its
/// place.
public struct DocumentError: Error, Equatable, Sendable {
    /// The place in the document: `applications[0].aid`; empty for the document itself.
    public let path: String
    /// What the document needs there, and what it has instead. It never holds a card number, a PIN
    /// or a key.
    public let message: String

    /// Of texts from the document what is no printable ASCII is shown as a point, and long ones are cut.
    package init(_ path: String, _ message: String) {
        self.path = Self.printable(path)
        self.message = Self.printable(message)
    }

    private static func printable(_ text: String) -> String {
        ValueDescription.printable(Array(text.utf8.prefix(300))) + (text.utf8.count > 300 ? "..." : "")
    }
}

extension DocumentError: CustomStringConvertible {
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}
