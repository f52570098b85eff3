import Foundation

/// A folder for one test, removed with it, in which `openssl` runs.
public final class OpenSSL: Sendable {
    private let folder: URL

    public init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ipg-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    public func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }
    public func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

    /// The exit status.
    public func run(_ arguments: String...) throws -> Int32 { try run(arguments) }

    public func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Runs it, and throws unless it succeeds.
    fileprivate func demand(_ arguments: String...) throws {
        guard try run(arguments) == 0 else { throw OpenSSLFailed(arguments: arguments) }
    }

    /// The signature that `openssl dgst` makes over a text.
    public func sign(_ text: String, _ key: TestKey, hash: String) throws -> [UInt8] {
        try write("key.pem", key.privateKey)
        try write("text", Array(text.utf8))
        try demand("dgst", "-\(hash)", "-sign", "key.pem", "-out", "signature", "text")
        return try read("signature")
    }

    /// Whether `openssl dgst` finds that the signature is over the text.
    public func verifies(_ signature: [UInt8], over text: String, _ key: TestKey, hash: String) throws -> Bool {
        try write("pub.pem", key.publicKey)
        try write("text", Array(text.utf8))
        try write("signature", signature)
        return try run("dgst", "-\(hash)", "-verify", "pub.pem", "-signature", "signature", "text") == 0
    }
}

/// openssl does not do what a test needs.
public struct OpenSSLFailed: Error { public let arguments: [String] }

/// A key pair for tests, made by openssl.
public struct TestKey: Sendable {
    public let privateKey: [UInt8]
    public let publicKey: [UInt8]

    public static func merchant() throws -> TestKey { try made.merchant.get() }
    public static func gateway() throws -> TestKey { try made.gateway.get() }
    /// A gateway's key that is no longer in use.
    public static func retired() throws -> TestKey { try made.retired.get() }

    private static let made = (
        merchant: Result { try TestKey() }, gateway: Result { try TestKey() }, retired: Result { try TestKey() }
    )

    private init() throws {
        let openssl = try OpenSSL()
        try openssl.demand("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-out", "key")
        try openssl.demand("pkey", "-in", "key", "-pubout", "-out", "pub")
        (privateKey, publicKey) = (try openssl.read("key"), try openssl.read("pub"))
    }
}
