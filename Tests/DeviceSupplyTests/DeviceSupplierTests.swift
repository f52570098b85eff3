import CardCapture
import CardReaders
import Foundation
import ReaderDoubles
import SmartCard
import Synchronization
import Testing

@testable import DeviceSupply

/// Manufacturer, model and serial number of the specification's example of GIX (ABECS 2.12, 3.2.4).
private let identity =
    Array("000040".utf8) + [0x80, 0x01, 0, 8] + Array("01927612".utf8) + [0x80, 0x03, 0, 10] + Array("PP2000;8MB".utf8)
    + [0x80, 0x04, 0, 6] + Array("SUBDIV".utf8) + [0x80, 0x07, 0, 0]
private let done = Array("000".utf8)

@Suite(.serialized, .timeLimit(.minutes(20))) struct DeviceSupplierTests {
    private let scratch: Scratch
    private let folder: SupplyFolder

    init() throws {
        scratch = try Scratch()
        folder = SupplyFolder(path: scratch.file("state/devices"))
    }

    private func pad(_ misbehavior: EmulatedPINPad.Misbehavior? = nil, tables: [UInt8] = done) -> EmulatedPINPad {
        EmulatedPINPad(misbehavior, answers: ["GIX": identity, "TLI": done, "TLR": tables, "TLE": done])
    }

    private var state: SupplyState? {
        get throws { try folder.state(maker: "SUBDIV", serialNumber: "01927612") }
    }

    @Test("A reader that was never configured is reported, and loaded only on request") func firstLoad() async throws {
        let (pad, supplier, package) = (self.pad(), DeviceSupplier(folder: folder), try TestPackage.opened())
        let reader = ABECSSupply(try pad.reader(), name: "Till 1")
        let finding = try await supplier.check(package, for: reader)
        #expect(finding.need == .neverConfigured)
        #expect(finding.identity.serialNumber == "01927612")
        #expect(try state == nil, "a check changes nothing")
        #expect(pad.commands.map { $0.prefix(3) } == ["OPN", "GIX"], "a check changes nothing")

        let percents = Mutex<[Int]>([])
        #expect(
            try await supplier.load(package, into: reader) { percent in percents.withLock { $0.append(percent) } }
                == finding)
        #expect(pad.commands.dropFirst(3).map { $0.prefix(3) } == ["TLI", "TLR", "TLE"])
        let reported = percents.withLock { $0 }
        #expect(reported.first == 0)
        #expect(reported.last == 100)
        #expect(reported.count > 2)
        #expect(reported == reported.sorted())
        #expect(try state?.installed?.version == "2026-11")
        #expect(try state?.load == nil)
        #expect(try state?.stage == .production)
        #expect(try await supplier.check(package, for: reader).need == .none)
        // It has the package: a second load sends nothing.
        try await supplier.load(package, into: reader)
        #expect(pad.commands.filter { $0.hasPrefix("TLI") }.count == 1)
    }

    @Test("Versions are equal or different, and a lower one counts as well") func versions() async throws {
        let (reader, supplier) = (ABECSSupply(try pad().reader()), DeviceSupplier(folder: folder))
        try await supplier.load(TestPackage.opened(version: "10"), into: reader)
        #expect(
            try await supplier.check(TestPackage.opened(version: "9"), for: reader).need
                == .otherVersion(installed: "10"))
        #expect(
            try await supplier.check(TestPackage.opened(version: "10 "), for: reader).need
                == .otherVersion(installed: "10"))
        let other = try TestPackage.opened(version: "10", files: [TestPackage.tables(acquirer: 7)])
        #expect(try await supplier.check(other, for: reader).need == .otherContents)
    }

    @Test("A package that is older than the last one is refused, whatever its version says, unless it is named")
    func older() async throws {
        let pad = self.pad()
        let (reader, supplier) = (ABECSSupply(try pad.reader()), DeviceSupplier(folder: folder))
        let old = try TestPackage.opened(version: "9.9", counter: 4)
        try await supplier.load(TestPackage.opened(version: "2.0", counter: 5), into: reader)
        #expect(try await supplier.check(old, for: reader).need == .older(counter: 4, loaded: 5))
        let commands = pad.commands.count
        for name in [nil, "2.0", "9"] {
            await #expect(throws: SupplyError.older(version: "9.9", counter: 4, loaded: 5)) {
                try await supplier.load(old, into: reader, allowing: name)
            }
        }
        #expect(
            pad.commands[commands...].allSatisfy { $0.hasPrefix("GIX") || $0.hasPrefix("OPN") }, "nothing was loaded")
        let without = try TestPackage.opened(version: "3")
        #expect(
            try await supplier.check(without, for: reader).need == .older(counter: 0, loaded: 5),
            "a package without a counter")
        try await supplier.load(old, into: reader, allowing: "9.9")
        #expect(try state?.installed?.version == "9.9")
        #expect(try state?.counter == 4)
        let new = try TestPackage.opened(version: "2.0", counter: 5)
        #expect(try await supplier.check(new, for: reader).need == .otherVersion(installed: "9.9"))
    }

    @Test("A load that was begun makes an older package older, too") func olderThanInterrupted() async throws {
        let supplier = DeviceSupplier(folder: folder)
        let new = try TestPackage.opened(version: "2", counter: 5)
        await #expect(throws: SupplyError.self) {
            try await supplier.load(new, into: ABECSSupply(pad(tables: Array("011".utf8)).reader()))
        }
        let old = try TestPackage.opened(version: "1", counter: 4)
        await #expect(throws: SupplyError.older(version: "1", counter: 4, loaded: 5)) {
            try await supplier.load(old, into: ABECSSupply(pad().reader()))
        }
    }

    @Test("A renamed reader is configured again") func renamed() async throws {
        let (supplier, package) = (DeviceSupplier(folder: folder), try TestPackage.opened())
        try await supplier.load(package, into: ABECSSupply(pad().reader(), name: "Till 1"))
        #expect(try await supplier.check(package, for: ABECSSupply(pad().reader(), name: "Till 2")).need == .renamed)
        #expect(
            try await supplier.check(package, for: ABECSSupply(pad().reader())).need == .none, "nobody knows its name")
    }

    @Test("A test package stays out of production, and the reverse") func stages() async throws {
        let reader = ABECSSupply(try pad().reader())
        let (production, test) = (DeviceSupplier(folder: folder), DeviceSupplier(folder: folder, stage: .test))
        let (forTests, forProduction) = (try TestPackage.opened(stage: .test), try TestPackage.opened())
        await #expect(throws: SupplyError.otherStage(package: .test, reader: .production)) {
            try await production.load(forTests, into: reader)
        }
        await #expect(throws: SupplyError.otherStage(package: .production, reader: .test)) {
            try await test.load(forProduction, into: reader)
        }
        try await test.load(forTests, into: reader)
        // The reader is a test reader now: a production terminal cannot make it another.
        await #expect(throws: SupplyError.otherStage(package: .production, reader: .test)) {
            try await production.load(forProduction, into: reader)
        }
        let state = try #require(try state)
        #expect(state.stage == .test)
        #expect(state.load == nil)
        try folder.forget(state)
        try await production.load(forProduction, into: reader)
    }

    @Test("A package for another maker or model is refused") func otherDevice() async throws {
        let (reader, supplier) = (ABECSSupply(try pad().reader()), DeviceSupplier(folder: folder))
        for package in [try TestPackage.opened(maker: "Other"), try TestPackage.opened(models: ["PP2000"])] {
            await #expect(throws: SupplyError.otherDevice) { try await supplier.check(package, for: reader) }
            await #expect(throws: SupplyError.otherDevice) { try await supplier.load(package, into: reader) }
        }
        #expect(try await supplier.check(TestPackage.opened(models: []), for: reader).need == .neverConfigured)
        let nameless = EmulatedPINPad(answers: ["GIX": Array("000".utf8)])
        await #expect(throws: SupplyError.noSerialNumber) {
            try await supplier.check(TestPackage.opened(), for: ABECSSupply(nameless.reader()))
        }
    }

    /// The packets of the pad: EOT and OPN's answer are not counted among those that `unplugs`
    /// counts from OPN on, which is the first.
    @Test("A load that ends anywhere is known, and goes on with the file where it ended", arguments: 3...8)
    func interrupted(_ packet: Int)
        async throws
    {
        let supplier = DeviceSupplier(folder: folder)
        let package = try TestPackage.opened(files: [TestPackage.tables(), TestPackage.tables(acquirer: 5)])
        // Packets: OPN 1, GIX 2, then TLI, TLR, TLE of the first file 3 to 5, of the second 6 to 8.
        let broken = pad(.unplugs(packet))
        await #expect(throws: SupplyError.self) { try await supplier.load(package, into: ABECSSupply(broken.reader())) }
        let step = packet < 6 ? 0 : 1
        let interrupted = try #require(try state)
        #expect(interrupted.installed == nil)
        #expect(interrupted.load == .init(version: "2026-11", digest: package.digest, step: step, steps: 2))

        let repaired = pad()
        let reader = ABECSSupply(try repaired.reader())
        #expect(
            try await supplier.check(package, for: reader).need == .interrupted(step: step, steps: 2, continues: true))
        try await supplier.load(package, into: reader)
        #expect(
            repaired.commands.filter { $0.hasPrefix("TLI") }.map { $0.dropFirst(6).prefix(2) }
                == (step == 0 ? ["04", "05"] : ["05"]))
        #expect(try state?.installed?.digest == package.digest)
        #expect(try state?.load == nil)
    }

    @Test("After an interrupted load another package begins with its first file") func interruptedByAnother()
        async throws
    {
        let supplier = DeviceSupplier(folder: folder)
        await #expect(throws: SupplyError.reader(.readerFailed(.driver(ABECSStatus.invalidParameter)))) {
            try await supplier.load(TestPackage.opened(), into: ABECSSupply(pad(tables: Array("011".utf8)).reader()))
        }
        let other = try TestPackage.opened(version: "2", files: [TestPackage.tables(acquirer: 6)])
        let finding = try await supplier.load(other, into: ABECSSupply(pad().reader()))
        #expect(finding.need == .interrupted(step: 0, steps: 1, continues: false))
        #expect(try state?.installed?.version == "2")
    }

    @Test("One process loads into a reader at a time") func oneAtATime() async throws {
        let (supplier, package) = (DeviceSupplier(folder: folder), try TestPackage.opened())
        let reader = ABECSSupply(try pad().reader())
        do {
            let claim = try folder.claim(maker: "SUBDIV", serialNumber: "01927612")
            await #expect(throws: SupplyError.inUse) { try await supplier.load(package, into: reader) }
            #expect(try await supplier.check(package, for: reader).need == .neverConfigured)
            withExtendedLifetime(claim) {}
        }
        try await supplier.load(package, into: reader)
    }

    /// A reader with a battery, which no PIN pad of this suite has.
    private struct Charged: SuppliedReader {
        let name: String? = nil
        let loaders = [DevicePackage.Loader.abecsTables]
        let charge: BatteryState?
        var firmware = "1"

        func identity() async throws(CaptureError) -> ReaderIdentity {
            ReaderIdentity(maker: "SUBDIV", model: "PP2000;8MB", serialNumber: "1", firmware: firmware)
        }
        func battery() async throws(CaptureError) -> BatteryState? { charge }
        func load(_ file: DevicePackage.File, progress: @Sendable (Double) -> Void) async throws(SupplyError) {
            progress(1)
        }
    }

    @Test("A load needs more than 50 percent, if the reader tells its charge") func battery() async throws {
        let (supplier, package) = (DeviceSupplier(folder: folder), try TestPackage.opened())
        for charge in [BatteryState.discharging(percent: 50), .charging(percent: 0)] {
            let percent = try #require(charge.percent)
            await #expect(throws: SupplyError.batteryTooLow(percent: percent)) {
                try await supplier.load(package, into: Charged(charge: charge))
            }
            #expect(try folder.states().isEmpty)
        }
        try await supplier.load(package, into: Charged(charge: .discharging(percent: 51)))
        try await supplier.load(TestPackage.opened(version: "2"), into: Charged(charge: .unknown))
        #expect(
            try await supplier.check(TestPackage.opened(version: "2"), for: Charged(charge: nil, firmware: "2")).need
                == .otherFirmware)
    }
}
