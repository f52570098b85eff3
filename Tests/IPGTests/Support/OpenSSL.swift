import Bytes
import Foundation
import Testing

@testable import IPG

/// A folder for one test, removed with it, in which `openssl` runs.
final class OpenSSL: Sendable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ipg-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: folder.appending(path: name)) }
    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

    /// The exit status.
    func run(_ arguments: String...) throws -> Int32 { try run(arguments) }

    func run(_ arguments: [String]) throws -> Int32 {
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

    /// The signature that `openssl dgst` makes over a text.
    func sign(_ text: String, _ key: TestKey, hash: String) throws -> [UInt8] {
        try write("key.pem", key.privateKey)
        try write("text", Array(text.utf8))
        try #require(try run("dgst", "-\(hash)", "-sign", "key.pem", "-out", "signature", "text") == 0)
        return try read("signature")
    }

    /// Whether `openssl dgst` finds that the signature is over the text.
    func verifies(_ signature: [UInt8], over text: String, _ key: TestKey, hash: String) throws -> Bool {
        try write("pub.pem", key.publicKey)
        try write("text", Array(text.utf8))
        try write("signature", signature)
        return try run("dgst", "-\(hash)", "-verify", "pub.pem", "-signature", "signature", "text") == 0
    }
}

/// A key pair for tests, made by openssl.
struct TestKey: Sendable {
    let privateKey: [UInt8]
    let publicKey: [UInt8]

    static func merchant() throws -> TestKey { try made.merchant.get() }
    static func gateway() throws -> TestKey { try made.gateway.get() }
    /// A gateway's key that is no longer in use.
    static func retired() throws -> TestKey { try made.retired.get() }

    private static let made = (
        merchant: Result { try TestKey() }, gateway: Result { try TestKey() }, retired: Result { try TestKey() }
    )

    private init() throws {
        let openssl = try OpenSSL()
        try #require(
            try openssl.run("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-out", "key") == 0)
        try #require(try openssl.run("pkey", "-in", "key", "-pubout", "-out", "pub") == 0)
        (privateKey, publicKey) = (try openssl.read("key"), try openssl.read("pub"))
    }
}
