import Foundation
import Testing

@testable import DeviceIO

/// Device nodes of the emulated machine. The scenario of `tools/hil` with the same name sets them
/// up and says so in the environment; from then on a node that is missing is a failure.
enum RealDevices: String {
    case serial
    case hid
    case rfcomm
    case bluetooth
    case hotplug
    case cancellation

    var areSetUp: Bool { ProcessInfo.processInfo.environment["CARDPRESENT_REAL_DEVICES"] == rawValue }
}

/// The far side of a device: a program of the scenario that reads lines from `/tmp/devices/NAME`
/// and writes what happens to it to `NAME.log`.
struct FarSide {
    let name: String
    private var path: String { "/tmp/devices/\(name)" }

    init(_ name: String) { self.name = name }

    /// Fails at once if the program has ended: opening the pipe would wait for a reader.
    func tell(_ line: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let pipe = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try pipe.write(contentsOf: Data("\(line)\n".utf8))
    }

    func said() throws -> [String] {
        try String(contentsOfFile: "\(path).log", encoding: .utf8).split(separator: "\n").map(String.init)
    }
}

/// Looks until the condition holds; when that takes longer it is a failure.
func eventually(
    _ what: Comment, within timeout: Duration = .seconds(15), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let limit = Deadline.after(timeout)
    while try await !condition() {
        guard !limit.hasPassed else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Runs a program to its end and gives its exit status.
@discardableResult
func run(_ program: String, _ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}

/// A transport on a thread of its own, as drivers have it.
actor OnDeviceThread<Transport> {
    private nonisolated let thread: DeviceThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }
    private let transport: Transport

    init(_ open: (WakeEvent) throws(DeviceError) -> Transport) throws(DeviceError) {
        thread = try DeviceThread(name: "test device")
        do throws(DeviceError) {
            transport = try open(thread.cancelEvent)
        } catch {
            thread.stop()
            throw error
        }
    }

    deinit { thread.stop() }

    func perform<Result: Sendable>(_ work: @Sendable (Transport) throws(DeviceError) -> Result) throws(DeviceError)
        -> Result
    {
        try perform(Cancellation(), work)
    }

    /// Cancelling the task ends `work`.
    nonisolated func cancellable<Result: Sendable>(
        _ work: @escaping @Sendable (Transport) throws(DeviceError) -> Result
    ) async throws(DeviceError) -> Result {
        try await DeviceThread.cancellable { cancellation async throws(DeviceError) in
            try await self.perform(cancellation, work)
        }
    }

    private func perform<Result: Sendable>(
        _ cancellation: Cancellation, _ work: @Sendable (Transport) throws(DeviceError) -> Result
    ) throws(DeviceError) -> Result {
        try cancellation.begin(thread.cancelEvent)
        defer { cancellation.end() }
        return try work(transport)
    }
}
