internal import Bytes

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
                problems.append(
                    CAPublicKeyFileError(line: number, problem: "it has more than \(longestLine) characters, which no key needs"))
                continue
            }
            let columns = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard !columns.isEmpty else { continue }
            let key: CAPublicKey
            do throws(LineProblem) {
                key = try Self.key(columns)
            } catch {
                problems.append(CAPublicKeyFileError(line: number, problem: error.text))
                continue
            }
            guard let earlier = keys.key(rid: key.rid, index: key.index) else {
                keys.append(key)
                continue
            }
            guard earlier.key != key.key else { continue }
            let sums = "check sum \(earlier.checksum.prefix(4).hex)…, this one \(key.checksum.prefix(4).hex)…"
            problems.append(
                CAPublicKeyFileError(
                    line: number, problem: "another key has RID \(key.rid.hex) and index \([key.index].hex) already: \(sums)"))
        }
        return (keys, problems)
    }

    /// Enough for a modulus of 248 bytes, the other columns and a name.
    private static let longestLine = 4096

    private struct LineProblem: Error { let text: String }

    private static func key(_ columns: [Substring]) throws(LineProblem) -> CAPublicKey {
        var columns = columns[...]
        let expiry = try columns.last.flatMap { text throws(LineProblem) in try lastDay(text) }
        if expiry != nil { columns.removeLast() }
        // The columns before the RID or the certificate are the scheme's name.
        let name = columns.prefix { !isRID($0) && !isCertificate($0) }
        let isTest = name.contains { $0.lowercased() == "test" }
        columns = columns.dropFirst(name.count)
        if columns.count == 1, let certificate = columns.first {
            do {
                return try ECCAPublicKeyCertificate.recover(try bytes(certificate), expiry: expiry, isTest: isTest)
            } catch let error as CertificateError {
                throw LineProblem(text: "the self-signed certificate is refused: \(error)")
            } catch let error as LineProblem {
                throw error
            } catch {
                throw LineProblem(text: "\(error)")
            }
        }
        return try rsaKey(columns, expiry, isTest)
    }

    private static func rsaKey(_ columns: ArraySlice<Substring>, _ expiry: CertificateDate?, _ isTest: Bool) throws(LineProblem)
        -> CAPublicKey
    {
        guard (4...5).contains(columns.count) else {
            throw LineProblem(
                text: "expected [scheme] RID index exponent modulus [check sum] [last day], or [scheme] certificate [last day]")
        }
        let values = try columns.map { column throws(LineProblem) in try bytes(column) }
        guard values[0].count == 5, values[1].count == 1 else { throw LineProblem(text: "the RID has 5 bytes and the index 1") }
        let key: CAPublicKey
        do {
            let material = try RSAPublicKey(modulus: values[3], exponent: values[2])
            key = CAPublicKey(rid: values[0], index: values[1][0], key: .rsa(material), expiry: expiry, isTest: isTest)
        } catch {
            throw LineProblem(text: error.description)
        }
        if values.count == 5, !key.hasChecksum(values[4]) { throw LineProblem(text: "the check sum is not that of the key") }
        return key
    }

    private static func bytes(_ text: Substring) throws(LineProblem) -> [UInt8] {
        do { return try [UInt8](hex: text) } catch { throw LineProblem(text: error.description) }
    }

    private static func isRID(_ text: Substring) -> Bool { text.count == 10 && (try? bytes(text)) != nil }

    /// No scheme's name begins like a certificate.
    private static func isCertificate(_ text: Substring) -> Bool { text.hasPrefix("2000") }

    /// The day in YYYY-MM-DD; nil for a column without hyphens.
    private static func lastDay(_ text: Substring) throws(LineProblem) -> CertificateDate? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 3, parts[0].count == 4, let day = CertificateDate(year: numbers[0], month: numbers[1], day: numbers[2])
        else {
            throw LineProblem(text: "\(text) is not a date; write YYYY-MM-DD")
        }
        return day
    }
}

extension Sequence<CAPublicKey> {
    /// The key with this index (tag 8F of a card) and the RID of the card's application.
    ///
    /// - Parameter rid: 5 bytes.
    @inlinable public func key(rid: [UInt8], index: UInt8) -> CAPublicKey? { first { $0.index == index && $0.rid == rid } }
}

/// The line of a key file that cannot be read, and why.
public struct CAPublicKeyFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    public let line: Int
    public let problem: String

    public var description: String { "line \(line): \(problem)" }
}
