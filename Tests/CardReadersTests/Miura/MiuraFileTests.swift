import Bytes
import CardCapture
import DeviceIO
import ReaderDoubles
import SmartCard
import Synchronization
import Testing

@testable import CardReaders

/// Commands and tags are those of Miura's published library (`selectFile`, `streamBinary`,
/// `resetDevice`).
@Suite(.serialized, .timeLimit(.minutes(20))) struct MiuraFileTests {
    private func pad(_ misbehavior: EmulatedMiura.Misbehavior? = nil) throws -> EmulatedMiura {
        try EmulatedMiura(misbehavior, card: nil)
    }

    private func file(_ count: Int) throws -> MiuraFile {
        try #require(MiuraFile(name: "emv.cfg", contents: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }))
    }

    /// The header and the template of STREAM BINARY: E0 with offset, size and time limit.
    private func streams(_ pad: EmulatedMiura) -> [[UInt8]] { pad.commands.filter { $0[1] == 0xD7 } }

    @Test(
        "a file is streamed in parts of 128 KiB, and is the PIN pad's afterwards",
        arguments: [nil, EmulatedMiura.Misbehavior.chains])
    func whole(_ misbehavior: EmulatedMiura.Misbehavior?) async throws {
        let (pad, file) = (try pad(misbehavior), try file(300_000))
        let reader = try pad.reader()
        let progress = Mutex<[Double]>([])
        try await reader.load(file) { part in progress.withLock { $0.append(part) } }
        #expect(pad.files == ["emv.cfg": file.contents])
        #expect(pad.restarts == 0)
        let parts = progress.withLock { $0 }
        #expect(parts == parts.sorted())
        #expect(parts.last == 1)
        #expect(parts.count > 70)
        let expected = ["000000 DFA30203020000", "020000 DFA30203020000", "040000 DFA302030093E0"].map {
            "00D7000015E013DFA30103\($0)DFA30301FF"
        }
        #expect(streams(pad) == (try expected.map { try [UInt8](hex: $0) }))
        try await reader.restart()
        #expect(pad.restarts == 1)
        #expect(try await reader.battery() == .charging(percent: 0x57))
        #expect(pad.port.connections == 2)
    }

    @Test("a file that the PIN pad does not have whole is an error") func lost() async throws {
        let pad = try pad(.losesByte)
        await #expect(throws: CaptureError.readerFailed(.driver(MiuraFailure.fileDiffers))) {
            try await pad.reader().load(file(1000))
        }
    }

    @Test("the same length with other bytes is an error") func changed() async throws {
        let pad = try pad(.changesByte)
        await #expect(throws: CaptureError.readerFailed(.driver(MiuraFailure.fileDiffers))) {
            try await pad.reader().load(file(1000))
        }
    }

    /// Its bytes are gone: nothing can be sent behind a part that was refused, so the connection is
    /// opened again.
    @Test("a refused part ends the load and the connection") func refused() async throws {
        let pad = try pad(.refusesParts)
        let reader = try pad.reader()
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(.status("9F14"))))) {
            try await reader.load(file(10))
        }
        _ = try await reader.battery()
        #expect(pad.port.connections == 2)
        #expect(streams(pad).count == 1)
    }

    /// Messages: powered on, reset, SELECT FILE, two parts, SELECT FILE.
    @Test("unplugged at every step: an error, and the next load is whole", arguments: 1...6) func unplugged(_ step: Int)
        async throws
    {
        let (pad, file) = (try pad(.unplugs(step)), try file(140_000))
        let reader = try pad.reader()
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) {
            try await reader.load(file)
        }
        try await reader.load(file)
        #expect(pad.files["emv.cfg"] == file.contents)
    }

    @Test("cancelled within a part: the connection is opened again, and nothing is sent into the file") func cancelled()
        async throws
    {
        let (pad, file) = (try pad(), try file(1_000_000))
        let reader = try pad.reader()
        let begun = AsyncStream<Void>.makeStream()
        let load = Task { try await reader.load(file) { _ in begun.continuation.yield() } }
        for await _ in begun.stream { break }
        load.cancel()
        await #expect(throws: CaptureError.cancelled) { try await load.value }
        try await reader.load(file)
        #expect(pad.files["emv.cfg"] == file.contents)
        #expect(pad.port.connections == 2)
        #expect(pad.commands.allSatisfy { $0[1] != 0xFF }, "no abort within the file")
    }

    @Test("names and sizes that the protocol cannot carry are refused") func bounds() {
        for name in ["", "a/b", "a b", "ä", String(repeating: "a", count: 65)] {
            #expect(MiuraFile(name: name, contents: [1]) == nil)
        }
        let longest = [UInt8](repeating: 0, count: 0xFF_FFFF)
        #expect(MiuraFile(name: "a", contents: []) == nil)
        #expect(MiuraFile(name: "a", contents: longest + [0]) == nil)
        #expect(MiuraFile(name: "MPI-Dynamic.cfg", contents: longest) != nil)
    }
}
