import Foundation
import ProcessMemory
import Testing

/// Nothing of a card stays in the memory of a process that has sold: from the driver of its reader
/// to the gateway behind TLS.
///
/// `payment-lane` makes each sale in a process of its own, searches that from outside, and says
/// what it found in which form. The card, its reader's other end and the host are in other
/// processes. `tools/residue` makes more sales.
@Suite(.serialized, .timeLimit(.minutes(20))) struct SaleResidueTests {
    @Test(
        "PCI: no card number in the memory of processes after their sales", arguments: ["contacts", "field", "keyed"])
    func nothingStays(_ way: String) async throws {
        // A copy that is not wiped may be written over before anyone looks: one of the records was,
        // in half of the processes.
        let (status, said) = try await search(way, processes: 8)
        #expect(status == 0, "\(said)")
        #expect(said.contains("\(way): copies in 0 of 8 processes"), "\(said)")
    }

    @Test("The search sees a number in every form") func theSearchSees() async throws {
        let (status, said) = try await search("kept", processes: 1)
        #expect(status == 1, "\(said)")
        #expect(said.contains("kept: copies in 1 of 1 processes"), "\(said)")
        for form in CardNumberForms().forms { #expect(said.contains("× \(form.name) in "), "\(form.name): \(said)") }
    }

    /// - Returns: The status of `payment-lane search`, and what it said.
    private func search(_ way: String, processes: Int) async throws -> (status: Int32, said: String) {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let folders = [own, CommandLine.arguments[0]].map { URL(filePath: $0).deletingLastPathComponent() }
        let process = Process()
        process.executableURL = folders.map { $0.appending(path: "payment-lane") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false))
        }
        process.arguments = ["search", way, String(processes)]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "LLVM_PROFILE_FILE": "/dev/null", "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        return try await withCheckedThrowingContinuation { waiting in
            Thread.detachNewThread {
                do {
                    try process.run()
                    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                    process.waitUntilExit()
                    waiting.resume(returning: (process.terminationStatus, said))
                } catch {
                    waiting.resume(throwing: error)
                }
            }
        }
    }
}
