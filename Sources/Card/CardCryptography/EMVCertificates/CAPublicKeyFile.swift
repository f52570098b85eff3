public import Bytes

/// Certification authority public keys as a text file: one key a line, columns separated by white
/// space, `#` for comments.
///
///     # scheme      RID         index  exponent  modulus   check sum  last day
///     Mastercard    A000000004  EF     03        A191CB…   21766EBB…  2031-12-31
///     # scheme      self-signed certificate                           last day
///     Mastercard    2000A000000004E010…                               2040-12-31
///     # a test key of any maker
///     Test          A000000004  01     03        C2517…
///
/// An elliptic curve key is given as its self-signed certificate (EMV 4.4 Book 2, 11.2.1), whose
/// signature is verified. The scheme's name, the check sum (SHA-1, 11.2.2) and the last day of use
/// may be missing; the check sum is verified if it is present.
public enum CAPublicKeyFile {
    /// - Throws: The error of the first line that is not a key, or that has another key for the RID
    ///   and index of an earlier line.
    public static func parse(_ text: String) throws(CAPublicKeyFileError) -> [CAPublicKey] {
        let (keys, problems) = read(text)
        if let first = problems.first { throw first }
        return keys
    }

    /// The keys of all valid lines, and the errors of the others: an invalid line does not affect
    /// other lines.
    ///
    /// The check sums distinguish two keys of one RID and index. The same key may occur twice; of
    /// two different keys the first is used.
    public static func read(_ text: String) -> (keys: [CAPublicKey], problems: [CAPublicKeyFileError]) {
        var keys: [CAPublicKey] = []
        var problems: [CAPublicKeyFileError] = []
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            guard line.utf8.count <= longestLine else {
                problems.append(CAPublicKeyFileError(line: number, problem: .tooLong))
                continue
            }
            let columns = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard !columns.isEmpty else { continue }
            let key: CAPublicKey
            do throws(CAPublicKeyFileError.Problem) {
                key = try Self.key(columns)
            } catch {
                problems.append(CAPublicKeyFileError(line: number, problem: error))
                continue
            }
            guard let earlier = keys.key(rid: key.rid, index: key.index) else {
                keys.append(key)
                continue
            }
            guard earlier.key != key.key else { continue }
            problems.append(CAPublicKeyFileError(line: number, problem: .anotherKey(earlier, key)))
        }
        return (keys, problems)
    }

    /// Enough for a modulus of 248 bytes, the other columns and a name.
    fileprivate static let longestLine = 4096

    private typealias Problem = CAPublicKeyFileError.Problem

    private static func key(_ columns: [Substring]) throws(Problem) -> CAPublicKey {
        var columns = columns[...]
        let expiry = try columns.last.flatMap { text throws(Problem) in try lastDay(text) }
        if expiry != nil { columns.removeLast() }
        // The columns before the RID or the certificate are the scheme's name.
        let name = columns.prefix { !isRID($0) && !isCertificate($0) }
        let isTest = name.contains { $0.lowercased() == "test" }
        columns = columns.dropFirst(name.count)
        if columns.count == 1, let certificate = columns.first {
            let encoded = try bytes(certificate)
            do throws(CertificateError) {
                return try ECCAPublicKeyCertificate.recover(encoded, expiry: expiry, isTest: isTest)
            } catch {
                throw .certificate(error)
            }
        }
        return try rsaKey(columns, expiry, isTest)
    }

    private static func rsaKey(_ columns: ArraySlice<Substring>, _ expiry: CertificateDate?, _ isTest: Bool)
        throws(Problem)
        -> CAPublicKey
    {
        guard (4...5).contains(columns.count) else {
            throw .columns
        }
        let values = try columns.map { column throws(Problem) in try bytes(column) }
        guard values[0].count == 5, values[1].count == 1 else { throw .identifierLength }
        let key: CAPublicKey
        do throws(RSAError) {
            let material = try RSAPublicKey(modulus: values[3], exponent: values[2])
            key = CAPublicKey(rid: values[0], index: values[1][0], key: .rsa(material), expiry: expiry, isTest: isTest)
        } catch {
            throw .key(error)
        }
        if values.count == 5, !key.hasChecksum(values[4]) { throw .checksum }
        return key
    }

    private static func bytes(_ text: Substring) throws(Problem) -> [UInt8] {
        do { return try [UInt8](hex: text) } catch { throw .hexadecimal(error) }
    }

    private static func isRID(_ text: Substring) -> Bool { text.count == 10 && (try? bytes(text)) != nil }

    /// No scheme's name begins like a certificate.
    private static func isCertificate(_ text: Substring) -> Bool { text.hasPrefix("2000") }

    /// The day in YYYY-MM-DD; nil for a column without hyphens.
    private static func lastDay(_ text: Substring) throws(Problem) -> CertificateDate? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 3, parts[0].count == 4,
            let day = CertificateDate(year: numbers[0], month: numbers[1], day: numbers[2])
        else {
            throw .date(String(text))
        }
        return day
    }
}

extension Sequence<CAPublicKey> {
    /// The key with this index (tag 8F of a card) and the RID of the card's application.
    ///
    /// - Parameter rid: 5 bytes.
    @inlinable public func key(rid: [UInt8], index: UInt8) -> CAPublicKey? {
        first { $0.index == index && $0.rid == rid }
    }
}

/// The line of a key file that cannot be read, and why.
public struct CAPublicKeyFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    public let line: Int
    public let problem: Problem

    /// Why a line is refused.
    public enum Problem: Error, Equatable, Sendable {
        /// It has more characters than any key needs.
        case tooLong
        /// It has neither the columns of an RSA key nor those of a certificate.
        case columns
        /// The RID does not have 5 bytes, or the index not 1.
        case identifierLength
        /// A column is not hexadecimal.
        case hexadecimal(HexError)
        /// The exponent or the modulus is invalid.
        case key(RSAError)
        /// The check sum is not that of the key.
        case checksum
        /// The self-signed certificate is refused.
        case certificate(CertificateError)
        /// The text that is not a date.
        case date(String)
        /// An earlier line, the first, has another key of the same RID and index.
        case anotherKey(CAPublicKey, CAPublicKey)
    }

    public var description: String { "line \(line): \(problem)" }
}

extension CAPublicKeyFileError.Problem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong: "it has more than \(CAPublicKeyFile.longestLine) characters, which no key needs"
        case .columns:
            "expected [scheme] RID index exponent modulus [check sum] [last day], or [scheme] certificate [last day]"
        case .identifierLength: "the RID has 5 bytes and the index 1"
        case .hexadecimal(let error): error.description
        case .key(let error): error.description
        case .checksum: "the check sum is not that of the key"
        case .certificate(let error): "the self-signed certificate is refused: \(error)"
        case .date(let text): "\(text.onOneLine(atMost: 20)) is not a date; write YYYY-MM-DD"
        case .anotherKey(let earlier, let key):
            "another key has RID \(key.rid.hex) and index \([key.index].hex) already: check sum \(earlier.checksum.prefix(4).hex)…, this one \(key.checksum.prefix(4).hex)…"
        }
    }
}
