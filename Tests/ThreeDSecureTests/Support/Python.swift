import Foundation

struct PythonFailed: Error { let status: Int32 }

/// What the system's Python prints, which has the packages of tools/packages.txt: PyJWT among them.
func python(_ script: String, _ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", script] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw PythonFailed(status: process.terminationStatus) }
    return printed.trimmingCharacters(in: .newlines)
}
