private import Bytes
private import FoundationEssentials
package import JSONDocument

/// A file that a configuration refers to, checked before it is read.
package struct ConfigurationFile {
    package let path: String
    /// The place of the path in the document; empty for the document itself.
    package let place: String
    /// In bytes.
    package let maximumSize: UInt64

    package init(path: String, place: String, maximumSize: UInt64) {
        self.path = path
        self.place = place
        self.maximumSize = maximumSize
    }

    /// - Throws: `DocumentError` if it is not a file, is too large, or is not UTF-8.
    package func text() throws(DocumentError) -> String {
        guard let status = FileStatus(path: path) else { throw unreadable }
        guard status.isRegular else { throw DocumentError(place, ConfigurationFault.notAFile(path)) }
        guard status.size <= maximumSize else {
            throw DocumentError(place, ConfigurationFault.tooLarge(path, maximum: maximumSize))
        }
        guard let contents = FileManager.default.contents(atPath: path) else { throw unreadable }
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw DocumentError(place, ConfigurationFault.notUTF8(path))
        }
        return text
    }

    private var unreadable: DocumentError { DocumentError(place, ConfigurationFault.unreadable(path)) }
}
