import Console
import Foundation
import Glibc
import Testing

/// What a crash of our executables shows.
@Suite(.timeLimit(.minutes(20))) struct ProcessSecrecyTests {
    /// A report of the Swift runtime with all that it can show, but names, for which it would read
    /// megabytes of symbols.
    private static let report = "enable=yes,registers=crashed,interactive=no,symbolicate=off,images=none"

    @Test(
        "Each is stopped where it writes its help into a full pipe, and then ended as by a crash",
        arguments: ["cardpresent", "cardpresent-bench"], [true, false])
    func crash(of name: String, isDebuggable: Bool) async throws {
        try await inWorkspace { workspace in
            let pipe = try FullPipe()
            let environment = ["SWIFT_BACKTRACE": Self.report, "CARDPRESENT_DEBUGGABLE": isDebuggable ? "1" : nil]
            let limits = Box<String>()
            // Less than a page: a second write would block again behind the report.
            let run = try await workspace.run(
                Executables.path(name), ["help", "demo"], environment: environment, output: pipe.end
            ) { process in
                Task {
                    try await StandingProcess.wait(for: process)
                    limits.value = try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
                    kill(process, SIGSEGV)
                }
            }
            let cores = try #require(limits.value?.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
            if isDebuggable {
                #expect(run.errors.contains("Registers:"), "the runtime shows what this test looks for: \(run.errors)")
            } else {
                #expect(run.wasKilled)
                #expect(run.status == SIGSEGV)
                #expect(run.errors.isEmpty)
                #expect(cores.split(separator: " ").suffix(3).prefix(2) == ["0", "0"], "\(cores)")
            }
        }
    }

    /// The registers at a crash point to a card number, and the runtime prints what is there.
    @Test(arguments: [true, false]) func cardNumberAtTheCrash(isDebuggable: Bool) async throws {
        try await inWorkspace { workspace in
            let run = try await workspace.run(
                CommandLine.arguments[0], ["--testing-library", "swift-testing", "--filter", "CrashOnPurposeTests"],
                environment: [
                    "SWIFT_BACKTRACE": Self.report, CrashOnPurpose.variable: "1",
                    "CARDPRESENT_DEBUGGABLE": isDebuggable ? "1" : nil,
                ])
            #expect(run.wasKilled)
            #expect(run.status == SIGSEGV)
            #expect(Canary.hunt(run.output + run.errors).isEmpty == !isDebuggable, "\(run.errors)")
        }
    }
}

private enum CrashOnPurpose {
    static let variable = "CARDPRESENT_CRASH_ON_PURPOSE"
    static var isRequested: Bool { ProcessInfo.processInfo.environment[variable] != nil }
}

/// Runs in a process of its own, which it ends by a crash.
@Suite(.enabled(if: CrashOnPurpose.isRequested)) struct CrashOnPurposeTests {
    @Test("The process crashes with a card number in its registers") func crash() {
        ProcessSecrecy.begin()
        let digits = Array("4761739001010119".utf8)
        unsafe digits.withUnsafeBytes { digits in
            // An address where nothing is; the source's address is in a register.
            guard let nowhere = unsafe UnsafeMutableRawPointer(bitPattern: 64), let source = digits.baseAddress else {
                return
            }
            unsafe memcpy(nowhere, source, digits.count)
        }
    }
}

/// A pipe that takes nothing more.
private struct FullPipe {
    private let reading: FileHandle
    let end: FileHandle

    init() throws {
        let pipe = Pipe()
        (reading, end) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        let setPipeSize: Int32 = 1031
        let size = fcntl(end.fileDescriptor, setPipeSize, 4096)
        guard size > 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        try end.write(contentsOf: Data(count: Int(size)))
    }
}

private final class Box<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: Value?
    var value: Value? {
        get { lock.withLock { kept } }
        set { lock.withLock { kept = newValue } }
    }
}
