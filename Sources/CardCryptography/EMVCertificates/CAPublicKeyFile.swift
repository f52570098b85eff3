internal import Bytes

/// Certification authority public keys as a text file: one key a line, columns apart by white space, `#` for comments.
///
///     # scheme      RID         index  exponent  modulus   check sum
///     Mastercard    A000000004  EF     03        A191CB…   21766EBB…
///
/// The scheme's name may be missing, as may the check sum (SHA-1, EMV 4.4 Book 2, 11.2.2), which is verified where it is given.
public enum CAPublicKeyFile {
    /// - Throws: The first line that is no key.
    public static func parse(_ text: String) throws(CAPublicKeyFileError) -> [CAPublicKey] {
        var keys: [CAPublicKey] = []
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let columns = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if !columns.isEmpty { keys.append(try key(columns, line: number)) }
        }
        return keys
    }

    private static func key(_ columns: [Substring], line: Int) throws(CAPublicKeyFileError) -> CAPublicKey {
        func bytes(_ text: Substring) throws(CAPublicKeyFileError) -> [UInt8] {
            do { return try [UInt8](hex: text) } catch { throw CAPublicKeyFileError(line: line, problem: error.description) }
        }
        let startsWithRID = (try? [UInt8](hex: columns[0]))?.count == 5
        let fields = startsWithRID ? columns[...] : columns.dropFirst()
        guard (4...5).contains(fields.count) else {
            throw CAPublicKeyFileError(line: line, problem: "expected [scheme] RID index exponent modulus [check sum]")
        }
        let values = try fields.map { field throws(CAPublicKeyFileError) in try bytes(field) }
        guard values[0].count == 5, values[1].count == 1 else {
            throw CAPublicKeyFileError(line: line, problem: "the RID has 5 bytes and the index 1")
        }
        let key: CAPublicKey
        do {
            key = CAPublicKey(rid: values[0], index: values[1][0], key: try RSAPublicKey(modulus: values[3], exponent: values[2]))
        } catch {
            throw CAPublicKeyFileError(line: line, problem: error.description)
        }
        if values.count == 5, !key.hasChecksum(values[4]) {
            throw CAPublicKeyFileError(line: line, problem: "the check sum is not that of the key")
        }
        return key
    }
}

/// Where a key file cannot be read, and why.
public struct CAPublicKeyFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    public let line: Int
    public let problem: String

    public var description: String { "line \(line): \(problem)" }
}
