private import CardCryptography
private import FoundationEssentials
public import JSONDocument

extension TerminalFile {
    /// Reads the file and the CA keys that it names.
    ///
    /// - Throws: `DocumentError`, with the place of what is wrong: `applications[1].aid: 5 to 16 bytes in hexadecimal, got 'A0'`.
    public static func load(_ path: String) throws(DocumentError) -> TerminalFile {
        let text = try read(path, "")
        let folder = URL(filePath: path).deletingLastPathComponent()
        return try TerminalFile(parsing: text) { name throws(DocumentError) in
            try read(URL(filePath: name, relativeTo: folder).path(percentEncoded: false), "caKeys")
        }
    }

    /// A document with a hundred applications has 50 kB, a file with all published CA keys 100 kB.
    private static let maximumSize: UInt64 = 1 << 20

    /// - Parameter place: Of the document where the path stands; empty for the document itself.
    private static func read(_ path: String, _ place: String) throws(DocumentError) -> String {
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file) else {
            throw DocumentError(place, "\(path) cannot be read: check the path and its permissions")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw DocumentError(place, "\(path) is not a file: give the path of a file")
        }
        guard let size = attributes[.size] as? UInt64, size <= maximumSize else {
            throw DocumentError(place, "\(path) is larger than 1 MiB: give the path of another file")
        }
        guard let contents = FileManager.default.contents(atPath: file) else {
            throw DocumentError(place, "\(path) cannot be read: check the path and its permissions")
        }
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw DocumentError(place, "\(path) is not UTF-8: save it as UTF-8")
        }
        return text
    }
}
