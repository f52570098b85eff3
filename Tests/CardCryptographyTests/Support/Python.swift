import Foundation
import Testing

struct PythonFailed: Error { let status: Int32, message: String }

/// What python3 prints when it runs `script`, without the last line break. It comes with the
/// packages the tests need.
func python(_ script: String) throws -> String { try python(["-c", script]) }

/// What a program of `Tests/Peers` prints, without the last line break.
func python(file: String, arguments: [String]) throws -> String {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    return try python([tests.appending(path: "Peers/\(file)").path] + arguments)
}

private func python(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw PythonFailed(status: process.terminationStatus, message: message)
    }
    return printed.trimmingCharacters(in: .newlines)
}
