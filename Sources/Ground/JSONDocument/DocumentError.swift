private import Bytes

/// A fault in a JSON document (a card profile, a test plan, a terminal's configuration), and its
/// place.
public struct DocumentError: Error, Sendable {
    /// Why a document is refused. Each module has an enumeration of the faults of its own
    /// documents.
    package protocol Reason: Sendable, Equatable, CustomStringConvertible {}

    /// Where something stands in a text. Both numbers begin at 1.
    public struct Position: Sendable, Equatable {
        public let line: Int
        /// In characters (Unicode scalars).
        public let column: Int
    }

    /// The place in the document: `applications[0].aid`; empty for the document itself.
    public let path: String
    /// Line and column of that place; nil for what is not in a JSON document.
    public private(set) var position: Position?
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

/// Two errors are equal if they have the same reason at the same path.
extension DocumentError: Equatable {
    public static func == (left: DocumentError, right: DocumentError) -> Bool {
        left.path == right.path && left.reason.equals(right.reason)
    }
}

extension DocumentError.Reason {
    package func equals(_ other: any DocumentError.Reason) -> Bool { other as? Self == self }
}

extension DocumentError: CustomStringConvertible {
    /// `3:12: terminal.currency: what is wrong, and the cure`, as compilers write it.
    public var description: String {
        (position.map { "\($0.line):\($0.column): " } ?? "") + (path.isEmpty ? message : "\(path): \(message)")
    }

    /// The description behind the name of the document's file, unless it begins with it.
    package func description(of file: String) -> String {
        if path.isEmpty, message.hasPrefix(file) { return message }
        return file + (position == nil ? ": " : ":") + description
    }
}

extension DocumentError.Position {
    /// - Parameter offset: In bytes. A byte order mark is no character of the first line.
    init(of offset: Int, in text: [UInt8]) {
        let before = text.prefix(offset).dropFirst(text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        // A scalar has one byte that does not continue another one.
        column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count { $0 & 0xC0 != 0x80 } + 1
    }
}

extension DocumentError {
    /// Whether the path is the error's, or that of a value around it.
    func isAbout(_ path: String) -> Bool {
        let path = Self.printable(path)
        guard !path.isEmpty else { return true }
        guard self.path.hasPrefix(path) else { return false }
        let rest = self.path.dropFirst(path.count)
        return rest.isEmpty || rest.hasPrefix(".") || rest.hasPrefix("[")
    }

    /// The error with the position of its value, or of its key if that is unknown.
    ///
    /// - Parameter mark: That of the path; of the innermost value around it if there is none.
    func located(at mark: JSONParser.Mark, in text: [UInt8]) -> DocumentError {
        var offset = mark.value
        if case .unknownKey? = reason as? ValueFault { offset = mark.key }
        var located = self
        located.position = Position(of: offset, in: text)
        return located
    }

    /// A document that is not JSON.
    init(_ path: String, _ error: JSONError) {
        self.init(path, ValueFault.notJSON(error.fault))
        position = error.position
    }
}
