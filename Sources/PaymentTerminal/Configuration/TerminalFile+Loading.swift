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

    /// At most a mebibyte: a document with a hundred applications has 50 kB.
    private static func read(_ path: String, _ place: String) throws(DocumentError) -> String {
        do {
            let handle = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
            guard handle.count <= 1 << 20 else { throw DocumentError(place, "\(path) is larger than 1 MiB: it is not such a file") }
            guard let text = String(validating: handle, as: UTF8.self) else { throw DocumentError(place, "\(path) is not UTF-8") }
            return text
        } catch let error as DocumentError {
            throw error
        } catch {
            throw DocumentError(place, "\(path) cannot be read: check the path and its permissions")
        }
    }
}
