import Foundation

/// This program in another process, which is killed when the last reference goes.
final class LaneProcess: Sendable {
    let pid: Int32
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// What it said, where that was not what was waited for.
    struct Unexpected: Error {
        let said: String
    }

    /// - Parameter bytes: What it finds on its standard input, which stays open.
    init(_ arguments: [String], input bytes: [UInt8] = []) throws {
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        // Of a process that is killed no coverage comes. Functions are bound at the start also in
        // the runtime's libraries (docs/architecture.md, "Secrets").
        process.environment = ProcessInfo.processInfo.environment.merging([
            "LLVM_PROFILE_FILE": "/dev/null", "LD_BIND_NOW": "1",
        ]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        pid = process.processIdentifier
        try input.fileHandleForWriting.write(contentsOf: bytes)
    }

    deinit {
        kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    /// What it says up to the line that begins with `word`: the rest of each line by its first
    /// word. It blocks.
    func said(upTo word: String) throws -> [String: String] {
        var text = ""
        while true {
            let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
            let said = Dictionary(lines.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
            if said[word] != nil, text.hasSuffix("\n") { return said }
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw Unexpected(said: text) }
            text += String(decoding: part, as: UTF8.self)
        }
    }
}
