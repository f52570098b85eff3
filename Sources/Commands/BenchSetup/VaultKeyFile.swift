public import Bytes
private import CardCryptography
public import Console
public import FoundationEssentials

/// The key of a vault in a file separate from the vault.
public enum VaultKeyFile {
    /// The key in `file`; creates a new one if the file does not exist.
    public static func load(_ file: URL) throws(InputError) -> SecretBytes {
        let path = file.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return try make(file) }
        var bytes: [UInt8]
        do {
            bytes = try [UInt8](hex: InputFile.text(path))
        } catch let error as HexError {
            throw InputError("\(path): \(error)")
        } catch {
            throw InputError("\(error)")
        }
        guard bytes.count == 32 else { throw InputError("\(path): a vault key has 64 hexadecimal digits, not \(bytes.count * 2)") }
        let key = SecretBytes(wiping: &bytes)
        guard let status = FileStatus(path: path), !status.isOpenToOthers else {
            throw InputError("\(path): other users have access to the key: chmod 600 \(path)")
        }
        return key
    }

    private static func make(_ file: URL) throws(InputError) -> SecretBytes {
        var bytes = SecureRandom.bytes(32)
        guard try OutputFile.create(file.path(percentEncoded: false), with: bytes.hex + "\n") else {
            wipe(&bytes)
            return try load(file)
        }
        return SecretBytes(wiping: &bytes)
    }
}
