import Bytes
import CardCryptography
import Console
import Foundation

/// The certificate that a bench host makes for itself: one for each vault, so that a client that
/// trusts it need not be told again.
struct SelfSignedCertificate {
    let files: (chain: String, key: String)
    /// The SHA-256 of the certificate in DER, in hexadecimal with colons, as `openssl x509
    /// -fingerprint -sha256` prints it.
    let fingerprint: String

    /// The vault's certificate; makes one if there is none, or it ends within a day.
    init(in folder: String) throws {
        files = (folder + "/host-certificate.pem", folder + "/host-key.pem")
        if !Self.isKept(files) { try Self.make(files) }
        guard let der = try Self.der(InputFile.text(files.chain)) else {
            throw InputError("\(files.chain): not a certificate: remove it, and another is made")
        }
        fingerprint = SHA256.hash(der).map { [$0].hex }.joined(separator: ":")
    }

    private static func isKept(_ files: (chain: String, key: String)) -> Bool {
        guard FileManager.default.fileExists(atPath: files.key) else { return false }
        return (try? openssl(["x509", "-in", files.chain, "-noout", "-checkend", "86400"])) ?? nil != nil
    }

    /// Its names are those of loopback. It is not a certificate authority, so its key signs no
    /// other certificate.
    private static func make(_ files: (chain: String, key: String)) throws {
        let request = [
            "req", "-x509", "-config", "/dev/stdin", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "365", "-subj", "/CN=CardPresent bench host", "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1", "-addext", "basicConstraints=critical,CA:FALSE",
            "-addext", "keyUsage=critical,digitalSignature", "-addext", "extendedKeyUsage=serverAuth", "-keyout", "-",
            "-out", "-",
        ]
        // A configuration of one's own, because the system's makes authorities.
        guard let made = try openssl(request, input: "[req]\ndistinguished_name = name\n[name]\n"),
            let certificate = made.firstRange(of: "-----BEGIN CERTIFICATE-----"),
            der(String(made[certificate.lowerBound...])) != nil
        else { throw InputError("\(files.chain): openssl could not make a certificate: is it installed?") }
        try OutputFile.replace(files.key, with: String(made[..<certificate.lowerBound]))
        try OutputFile.replace(files.chain, with: String(made[certificate.lowerBound...]))
    }

    /// The first certificate of a text in PEM (RFC 7468, 5); nil if there is none.
    private static func der(_ pem: String) -> [UInt8]? {
        guard let begin = pem.firstRange(of: "-----BEGIN CERTIFICATE-----"),
            let end = pem.firstRange(of: "-----END CERTIFICATE-----"),
            begin.upperBound < end.lowerBound
        else { return nil }
        return Data(base64Encoded: pem[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace }).map { Array($0) }
    }

    /// What openssl prints; nil if it fails.
    private static func openssl(_ arguments: [String], input: String = "") throws -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let (source, output) = (Pipe(), Pipe())
        process.standardInput = source
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try source.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? text : nil
    }
}
