import Bytes
import CardCapture
import CardReaders
import DeviceIO
import ReaderDoubles
import SmartCard
import Testing

@testable import DeviceSupply

/// Commands of the NEO 2 interface developer's guide (80139403-002, 8.2 and 8.3); groups by tag
/// FFE4, AIDs by 9F06.
@Suite(.serialized, .timeLimit(.minutes(20))) struct NEOSupplyTests {
    private static let settings = [
        (command: "04-03", data: "FFE401019C0100"), (command: "04-02", data: "FFE401019F0607A0000000031010"),
        (command: "D0-05", data: ""),
    ]
    private static let sent = ["0403FFE401019C0100", "0402FFE401019F0607A0000000031010", "D005"]

    private let scratch: Scratch
    private let folder: SupplyFolder

    init() throws {
        scratch = try Scratch()
        folder = SupplyFolder(path: scratch.file("state/devices"))
    }

    private func file(_ commands: String) -> DevicePackage.File {
        DevicePackage.File(
            name: "neo.json", loader: .neoSettings, contents: Array(#"{"commands": [\#(commands)]}"#.utf8))
    }

    private func package() throws -> DevicePackage {
        let commands = Self.settings.map { #"{"command": "\#($0.command)", "data": "\#($0.data)"}"# }
        return try TestPackage.opened(maker: "ID TECH", models: [], files: [file(commands.joined(separator: ","))])
    }

    @Test("the settings are sent in order, and the reader has the package") func whole() async throws {
        let (device, supplier, package) = (EmulatedNEO(), DeviceSupplier(folder: folder), try package())
        let reader = NEOSupply(try device.reader())
        let finding = try await supplier.load(package, into: reader)
        #expect(finding.identity == ReaderIdentity(maker: "ID TECH", serialNumber: "123T456789", firmware: "NEO v1.00"))
        #expect(device.settings.map(\.hex) == Self.sent)
        #expect(try await supplier.check(package, for: reader).need == .none)
    }

    @Test("a refused setting ends the load, and the error names the reason") func refused() async throws {
        let (device, supplier, package) = (
            EmulatedNEO(.refuses(from: 2, status: 0x05)), DeviceSupplier(folder: folder), try package()
        )
        await #expect(throws: SupplyError.reader(.readerFailed(.driver(DeviceError.rejected(.invalidParameter))))) {
            try await supplier.load(package, into: NEOSupply(device.reader()))
        }
        #expect(device.settings.map(\.hex) == Self.sent.dropLast())
        #expect(try folder.state(maker: "ID TECH", serialNumber: "123T456789")?.load?.step == 0)
    }

    @Test("unplugged at any setting: the next load sends all of the file again", arguments: 1...3) func unplugged(
        _ number: Int
    )
        async throws
    {
        let (supplier, package) = (DeviceSupplier(folder: folder), try package())
        let broken = EmulatedNEO(.unplugs(number))
        await #expect(throws: SupplyError.self) { try await supplier.load(package, into: NEOSupply(broken.reader())) }
        #expect(broken.settings.count == number)
        let repaired = EmulatedNEO()
        let finding = try await supplier.load(package, into: NEOSupply(repaired.reader()))
        #expect(finding.need == .interrupted(step: 0, steps: 1, continues: true))
        #expect(repaired.settings.map(\.hex) == Self.sent)
    }

    @Test(
        "documents that are not settings are refused by their place",
        arguments: [
            ("", "commands: one command at least is required"), (#"{"command": "18-01"}"#, "commands[0].command"),
            (#"{"command": "04-03", "data": "A"}"#, "commands[0].data"), (#"{"data": "00"}"#, "commands[0]"),
        ])
    func documents(_ commands: String, _ place: String) {
        do throws(PackageError) {
            _ = try [NEOSetting](file(commands))
            Issue.record("it should have failed")
        } catch {
            #expect("\(error)".contains(place), "\(error)")
        }
    }
}
