import Foundation
import Testing

/// A folder for one test, with an environment of its own for the commands that run in it.
struct Workspace: Sendable {
    let folder: URL

    /// The path of what is called `name` in the folder.
    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// Writes `text` to the file `name` and returns its path.
    func file(_ name: String, _ text: String) throws -> String { try file(name, Array(text.utf8)) }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = path(name)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// The same with a secret: only its owner can read it.
    func secret(_ name: String, _ text: String) throws -> String {
        let path = try file(name, text)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    func contents(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }
    func text(_ name: String) throws -> String { String(decoding: try contents(name), as: UTF8.self) }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Every file in the folder and below, by its name from the folder on. One that vanishes
    /// meanwhile is left out.
    func files() throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false)) {
            let type = try? FileManager.default.attributesOfItem(atPath: path(name))[.type] as? FileAttributeType
            guard type == .typeRegular else { continue }
            found[name] = try? contents(name)
        }
        return found
    }
}

/// Runs `body` in a workspace and removes it.
func inWorkspace<Result>(_ body: (Workspace) async throws -> Result) async throws -> Result {
    await Slots.shared.take()
    defer { Task { await Slots.shared.give() } }
    // Without digits: what looks like a card number in a path is masked in the messages that are
    // compared.
    let name = String(
        UUID().uuidString.map { $0.wholeNumberValue.map { Character(UnicodeScalar(UInt8(0x67 + $0))) } ?? $0 })
    let folder = FileManager.default.temporaryDirectory.appending(path: "cardpresent-test-\(name)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(Workspace(folder: folder))
}

/// The package's vectors.
enum Vectors {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors")
    static let traces = ["mastercard-contact-online", "mastercard-contactless-cda", "visa-contact-online"]

    static func trace(_ name: String) -> String {
        folder.appending(path: "traces/\(name).apdu").path(percentEncoded: false)
    }
    static func text(_ name: String) throws -> String { try String(contentsOfFile: trace(name), encoding: .utf8) }
}
