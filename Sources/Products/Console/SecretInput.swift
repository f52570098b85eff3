private import Bytes

/// Reads files with keys: as their owner's own only, without following links.
package enum SecretInput {
    /// The maximum size in bytes: far more than any list of keys.
    package static let maximumSize = 64 << 10

    /// The bytes of the file at `path`, or of standard input for `-`; the caller wipes them.
    package static func bytes(_ path: String) throws(InputError) -> [UInt8] {
        guard path != "-" else { return try InputFile.bytes(path, maximumSize: maximumSize) }
        do throws(PrivateFile.Failure) {
            return try PrivateFile.read(path, maximumSize: maximumSize)
        } catch {
            throw InputError(error.text(InputFile.name(path)))
        }
    }

    /// Their text.
    package static func text(_ path: String) throws(InputError) -> String {
        var bytes = try bytes(path)
        defer { wipe(&bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw InputError("\(InputFile.name(path)): not a text in UTF-8")
        }
        return text
    }
}
