import CardCapture
import CardReaders
import ReaderDoubles
import Testing

@testable import DeviceSupply

@Suite(.serialized, .timeLimit(.minutes(20))) struct MiuraSupplyTests {
    private let scratch: Scratch
    private let folder: SupplyFolder

    init() throws {
        scratch = try Scratch()
        folder = SupplyFolder(path: scratch.file("state/devices"))
    }

    /// With the identity that the answer to RESET DEVICE has: serial number `9F1E`, and the name
    /// and version of its software.
    private func pad(_ misbehavior: EmulatedMiura.Misbehavior? = nil, charge: String = "57") throws -> EmulatedMiura {
        try EmulatedMiura(
            misbehavior, card: nil, battery: "E10A DFA2090100 DFA20A01\(charge) 9000",
            reset: "E119 9F1E083030303030313733 EF0C DF0D034D5049 DF7F03312D35 9000")
    }

    private let files = ["emv.cfg", "ctls.cfg"].map { name in
        DevicePackage.File(name: name, loader: .miuraFile, contents: Array("[\(name)]\n".utf8))
    }

    private func package(_ files: [DevicePackage.File]) throws -> DevicePackage {
        try TestPackage.opened(maker: "Miura", models: [], files: files)
    }

    @Test("the files are loaded in order, and the PIN pad is restarted once") func whole() async throws {
        let (pad, supplier, package) = (try pad(), DeviceSupplier(folder: folder), try package(files))
        let reader = MiuraSupply(try pad.reader())
        #expect(try await supplier.load(package, into: reader).identity.serialNumber == "00000173")
        #expect(pad.files == ["emv.cfg": Array("[emv.cfg]\n".utf8), "ctls.cfg": Array("[ctls.cfg]\n".utf8)])
        #expect(pad.restarts == 1)
        #expect(try await supplier.check(package, for: reader).need == .none)
    }

    /// Messages: powered on, reset, battery (identity), battery, then SELECT FILE, STREAM BINARY
    /// and SELECT FILE of each file, then the restart.
    @Test("a load that ends anywhere goes on with the file where it ended", arguments: 5...11) func interrupted(
        _ message: Int
    ) async throws {
        let (supplier, package) = (DeviceSupplier(folder: folder), try package(files))
        let broken = try pad(.unplugs(message))
        await #expect(throws: SupplyError.self) { try await supplier.load(package, into: MiuraSupply(broken.reader())) }
        let step = (message - 5) / 3
        #expect(try folder.state(maker: "Miura", serialNumber: "00000173")?.load?.step == step)

        let repaired = try pad()
        try await supplier.load(package, into: MiuraSupply(repaired.reader()))
        #expect(repaired.files.keys.sorted() == [["ctls.cfg", "emv.cfg"], ["ctls.cfg"], []][step])
        #expect(repaired.restarts == 1)
        #expect(try await supplier.check(package, for: MiuraSupply(repaired.reader())).need == .none)
    }

    @Test("a PIN pad with half its charge or less is not loaded") func battery() async throws {
        let (pad, supplier, package) = (try pad(charge: "32"), DeviceSupplier(folder: folder), try package(files))
        await #expect(throws: SupplyError.batteryTooLow(percent: 50)) {
            try await supplier.load(package, into: MiuraSupply(pad.reader()))
        }
        #expect(pad.files.isEmpty)
    }

    @Test("a package is not made of a file that the protocol cannot carry") func names() throws {
        do {
            _ = try package([DevicePackage.File(name: "folder/emv.cfg", loader: .miuraFile, contents: [1])])
            Issue.record("it should have failed")
        } catch {
            guard case PackageError.contents(file: "folder/emv.cfg", .miuraFile) = error else { throw error }
        }
    }
}
