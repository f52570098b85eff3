public import Foundation

/// An independent program that tests compare with.
public enum PeerProgram {
    public struct Failed: Error {
        public let status: Int32
        /// What it wrote to standard error.
        public let message: String
    }

    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    /// Python with the packages of tools/python-packages.txt, which tools/lib.sh installs; the one on
    /// the path, if they are not installed.
    public static var interpreter: String {
        let own = package.appending(path: ".build/python-peers/bin/python3").path
        return FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
    }

    /// A program of `Tests/Peers`.
    public static func path(_ file: String) -> String { package.appending(path: "Tests/Peers/\(file)").path }

    /// What Python prints when it runs a script, without the last line break.
    public static func python(_ script: String, _ arguments: [String] = [], input: Data = Data()) throws -> String {
        try run([interpreter, "-c", script] + arguments, input: input)
    }

    /// What a program of `Tests/Peers` prints, without the last line break.
    public static func python(file: String, _ arguments: [String] = [], input: Data = Data()) throws -> String {
        // -P: a peer's file does not stand for a module of its name.
        try run([interpreter, "-P", path(file)] + arguments, input: input)
    }

    /// What a program prints, without the last line break.
    public static func run(_ arguments: [String], input: Data = Data()) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        // From a file, so that neither waits for the other.
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
            throw Failed(status: process.terminationStatus, message: message)
        }
        return printed.trimmingCharacters(in: .newlines)
    }
}
