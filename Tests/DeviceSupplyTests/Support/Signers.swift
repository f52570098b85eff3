import Bytes
import Foundation
import Testing

@testable import DeviceSupply

/// A folder for one test, removed with it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "device-supply-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = folder.path(percentEncoded: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
    func write(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: file(name))) }
    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }

    /// Runs a program of the system in the folder.
    func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: path)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(arguments)")
    }
}

/// The two halves of a signer's key, made by openssl.
struct Signer: Sendable {
    let privateKey: [UInt8]
    let publicKey: [UInt8]

    static func p256() throws -> Signer { try kept.p256.get() }
    static func rsa() throws -> Signer { try kept.rsa.get() }

    private static let kept = (
        p256: Result { try Signer("EC", "ec_paramgen_curve:P-256") },
        rsa: Result { try Signer("RSA", "rsa_keygen_bits:2048") }
    )

    init(_ algorithm: String, _ parameter: String) throws {
        let scratch = try Scratch()
        try scratch.run("openssl", "genpkey", "-algorithm", algorithm, "-pkeyopt", parameter, "-out", "key")
        try scratch.run("openssl", "pkey", "-in", "key", "-pubout", "-out", "pub")
        (privateKey, publicKey) = (try scratch.read("key"), try scratch.read("pub"))
    }
}
