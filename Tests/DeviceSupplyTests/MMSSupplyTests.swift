import Bytes
import CardCapture
import CardReaders
import DeviceIO
import ReaderDoubles
import SmartCard
import Testing

@testable import DeviceSupply

/// Properties as MagTek's DynaFlex family programmer's manual has them.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MMSSupplyTests {
    private static let values: [[UInt8]: [UInt8]] = [[1, 2, 7, 1, 1, 1]: [1], [1, 2, 7, 1, 2, 1]: [0, 0]]

    private let scratch: Scratch
    private let folder: SupplyFolder

    init() throws {
        scratch = try Scratch()
        folder = SupplyFolder(path: scratch.file("state/devices"))
    }

    private func file(_ properties: String) -> DevicePackage.File {
        DevicePackage.File(
            name: "dynaflex.json", loader: .mmsProperties, contents: Array(#"{"properties": [\#(properties)]}"#.utf8))
    }

    private func package(_ models: [String] = ["DynaFlex Pro"]) throws -> DevicePackage {
        try TestPackage.opened(
            maker: "MagTek", models: models,
            files: [file(#"{"property": "1.2.7.1.1.1", "value": "00"}, {"property": "1.2.7.1.2.1", "value": "FF00"}"#)])
    }

    @Test("The properties are set, and the device has the package") func whole() async throws {
        let (device, supplier, package) = (
            EmulatedDynaFlex(values: Self.values), DeviceSupplier(folder: folder), try package()
        )
        let reader = MMSSupply(try device.reader())
        let finding = try await supplier.load(package, into: reader)
        #expect(finding.identity.serialNumber == "B603226")
        #expect(device.values[[1, 2, 7, 1, 1, 1]] == [0])
        #expect(device.values[[1, 2, 7, 1, 2, 1]] == [0xFF, 0])
        #expect(try await supplier.check(package, for: reader).need == .none)
    }

    @Test("A package for another model is refused") func otherModel() async throws {
        let (device, supplier) = (EmulatedDynaFlex(values: Self.values), DeviceSupplier(folder: folder))
        await #expect(throws: SupplyError.self) {
            try await supplier.load(package(["DynaProx"]), into: MMSSupply(device.reader()))
        }
        #expect(device.settings.isEmpty)
    }

    @Test("A property that the device refuses ends the load, with its status") func refused() async throws {
        let (device, supplier) = (EmulatedDynaFlex(.refuses(2), values: Self.values), DeviceSupplier(folder: folder))
        await #expect(throws: SupplyError.reader(.readerFailed(.driver(DeviceError.rejected(.status("020102")))))) {
            try await supplier.load(package(), into: MMSSupply(device.reader()))
        }
        #expect(device.settings.count == 2)
        #expect(device.values[[1, 2, 7, 1, 2, 1]] == [0, 0])
    }

    @Test("Unplugged at any property: the next load sets what is missing", arguments: 1...2) func unplugged(
        _ number: Int
    ) async throws {
        let (supplier, package) = (DeviceSupplier(folder: folder), try package())
        let broken = EmulatedDynaFlex(.unplugs(number), values: Self.values)
        await #expect(throws: SupplyError.self) { try await supplier.load(package, into: MMSSupply(broken.reader())) }
        let repaired = EmulatedDynaFlex(values: broken.values)
        let finding = try await supplier.load(package, into: MMSSupply(repaired.reader()))
        #expect(finding.need == .interrupted(step: 0, steps: 1, continues: true))
        #expect(repaired.settings.count == 3 - number)
    }

    @Test(
        "Documents that are not properties are refused by their place",
        arguments: [
            ("", "properties: one property at least is required"),
            (#"{"property": "2.1.2.2.2.1", "value": "00"}"#, "properties[0].property"),
            (#"{"property": "1.2.3.4", "value": ""}"#, "properties[0].value"), (#"{"value": "00"}"#, "properties[0]"),
            (#"{"property": "1.2.3.4"}"#, "properties[0]"),
        ])
    func documents(_ properties: String, _ place: String) {
        do throws(PackageError) {
            _ = try [MMSSetting](file(properties))
            Issue.record("it should have failed")
        } catch {
            #expect("\(error)".contains(place), "\(error)")
        }
    }
}
