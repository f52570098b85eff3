import Foundation
import Printing
import Testing

struct PeerFailed: Error { let status: Int32, message: String }

/// Independent programs that the tests ask.
enum Peer {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    /// What a program of `Tests/Peers` prints for the document. Packages of tools/python-packages.txt
    /// are in `.build/python-peers`, where tools/lib.sh installs them.
    static func python(_ file: String, _ document: String) throws -> String {
        let own = package.appending(path: ".build/python-peers/bin/python3").path
        let python = FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
        // -P: a peer's file does not stand for a module of its name.
        return try run([python, "-P", package.appending(path: "Tests/Peers/\(file)").path], Data(document.utf8))
    }

    /// What zbarimg reads off the picture: one code a line.
    static func codes(_ picture: Bitmap) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "slip-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(picture.png).write(to: file)
        return try run(["zbarimg", "--quiet", "--raw", file.path], Data())
    }

    private static func run(_ arguments: [String], _ input: Data) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try input.write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: file)
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PeerFailed(status: process.terminationStatus, message: message)
        }
        return printed.trimmingCharacters(in: .newlines)
    }

    /// Debian's DejaVu Sans Mono (fonts-dejavu-core).
    static func font() throws -> SlipFont {
        try SlipFont(Array(Data(contentsOf: URL(filePath: "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"))))
    }
}
