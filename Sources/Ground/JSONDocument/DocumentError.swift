private import Bytes

/// A fault in a JSON document (a card profile, a test plan, a terminal's configuration), and its
/// place.
public struct DocumentError: Error, Sendable {
    /// Why a document is refused. Each module has an enumeration of the faults of its own
    /// documents.
    package protocol Reason: Sendable, Equatable, CustomStringConvertible {}

    /// The place in the document: `applications[0].aid`; empty for the document itself.
    public let path: String
    package let reason: any Reason

    /// Of texts from the document, unprintable characters are shown as points, and long texts are
    /// cut.
    package init(_ path: String, _ reason: some Reason) {
        self.path = Self.printable(path)
        self.reason = reason
    }

    /// What the document needs there, and what it has instead. It never holds a card number, a PIN
    /// or a key.
    public var message: String { Self.printable("\(reason)") }

    private static func printable(_ text: String) -> String {
        String(printable: Array(text.utf8.prefix(300))) + (text.utf8.count > 300 ? "..." : "")
    }
}

extension DocumentError: Equatable {
    public static func == (left: DocumentError, right: DocumentError) -> Bool {
        left.path == right.path && left.reason.equals(right.reason)
    }
}

extension DocumentError.Reason {
    package func equals(_ other: any DocumentError.Reason) -> Bool { other as? Self == self }
}

extension DocumentError: CustomStringConvertible {
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }

    /// The description with the name of the document's file, unless it begins with it.
    package func description(of file: String) -> String {
        path.isEmpty && message.hasPrefix(file) ? message : "\(file): \(self)"
    }
}
