public import Bytes
private import CardCryptography
public import Console
public import FoundationEssentials

/// The key of a vault in a file separate from the vault.
public enum VaultKeyFile {
    /// The key in `file`; creates a new one if the file does not exist.
    public static func load(_ file: URL) throws(InputError) -> SecretBytes {
        let path = file.path(percentEncoded: false)
        var digits: [UInt8]
        do throws(PrivateFile.Failure) {
            digits = try PrivateFile.read(path, maximumSize: 4096)
        } catch .notFound {
            return try make(file)
        } catch {
            throw InputError("the vault's key: \(error.text(path))")
        }
        defer { wipe(&digits) }
        var bytes: [UInt8]
        do throws(HexError) {
            bytes = try [UInt8](hex: String(decoding: digits, as: UTF8.self))
        } catch {
            throw InputError("\(path): \(error)")
        }
        guard bytes.count == 32 else {
            throw InputError("\(path): a vault key has 64 hexadecimal digits, not \(bytes.count * 2)")
        }
        return SecretBytes(wiping: &bytes)
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
