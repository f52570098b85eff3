public import Bytes

/// A code that was scanned. It may be the number of a card or a code that pays: nothing shows more
/// of it than its length, unless its text is asked for.
public struct Scan: Sendable, CustomStringConvertible, CustomReflectable {
    /// Nil if the scanner does not send it.
    public let identifier: AIMIdentifier?
    /// Without identifier, prefix and suffix.
    public let data: SecretBytes

    init(identifier: AIMIdentifier?, data: SecretBytes) {
        self.identifier = identifier
        self.data = data
    }

    /// The data as text in UTF-8; nil if they are not.
    public var text: String? {
        data.withBytes { span in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(span.count)
            for index in span.indices { bytes.append(span[index]) }
            defer { wipe(&bytes) }
            return String(validating: bytes, as: UTF8.self)
        }
    }

    public var description: String {
        "scan of \(data.count) bytes" + (identifier.map { ", \($0)" } ?? "")
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
