import Foundation

struct PeerFailed: Error { let message: String }

/// The lines that `Tests/Peers/stripe.py` prints.
func peer(_ arguments: [String]) throws -> [String] {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", tests.appending(path: "Peers/stripe.py").path] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw PeerFailed(message: message) }
    return printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
}
