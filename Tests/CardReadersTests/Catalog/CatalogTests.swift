import Bytes
import Foundation
import Testing

@testable import CardCapture
@testable import CardReaders
@testable import DeviceIO

extension DeviceNode {
    static func usb(
        _ vendor: UInt16, _ product: UInt16, _ interfaces: [InterfaceClass] = [], maker: String = "", model: String = ""
    ) -> DeviceNode {
        DeviceNode(
            kind: .usb, node: "/dev/bus/usb/001/004", path: "/devices/usb1/1-1", vendor: vendor, product: product,
            maker: maker, model: model,
            serialNumber: "", usbPath: "", interfaceNumber: nil, interfaces: interfaces, driver: "usb")
    }

    static func bluetooth(_ name: String, isPaired: Bool = true, _ services: Set<ServiceDiscovery.Service> = [])
        -> DeviceNode
    {
        var node = DeviceNode(
            kind: .bluetooth, node: "00:11:22:AA:BB:CC", path: "/org/bluez/hci0/dev_00_11_22_AA_BB_CC", vendor: 0,
            product: 0, maker: "",
            model: name, serialNumber: "", usbPath: "", interfaceNumber: nil, interfaces: [], driver: "")
        node.bluetooth = BluetoothAddress(node.node).map {
            DeviceNode.Bluetooth(address: $0, isPaired: isPaired, services: services)
        }
        return node
    }
}

@Suite(.serialized) struct ReaderCatalogTests {
    @Test("By its class where that says what it is, by its numbers where it hides it") func matching() {
        let chip = DeviceNode.InterfaceClass(0x0B, subclass: 0, protocolCode: 0)
        #expect(ReaderCatalog.reader(.usb(0x1234, 0x5678, [chip]))?.family == .ccid)
        #expect(
            ReaderCatalog.reader(
                .usb(0x1234, 0x5678, [DeviceNode.InterfaceClass(3, subclass: 0, protocolCode: 0), chip]))?.family
                == .ccid)
        #expect(
            ReaderCatalog.reader(.usb(0x1234, 0x5678, [DeviceNode.InterfaceClass(3, subclass: 0, protocolCode: 0)]))
                == nil)
        // Athena ASE IIIe has a class of its own, and a row of its own goes before the general one.
        #expect(
            ReaderCatalog.reader(.usb(0x0DC3, 0x1004, [DeviceNode.InterfaceClass(0xFF, subclass: 0, protocolCode: 0)]))?
                .name
                == "Athena ASE IIIe")
        #expect(ReaderCatalog.reader(.usb(0x0DC3, 0x1004, [chip]))?.name == "Athena ASE IIIe")
        #expect(
            ReaderCatalog.reader(.usb(0x0DC3, 0x1004, [chip], maker: "Athena", model: "ASEDrive CCID"))?.name
                == "Athena ASEDrive CCID")
    }

    @Test(
        "a family is named by the beginning of its name",
        arguments: [
            ("phoenix", ReaderFamily.phoenix), ("GemPC", .gemPCTwin), ("miura", .miura),
            ("keyboard wedge", .keyboardWedge),
            ("KeyboardWedge", .keyboardWedge), ("MagTek MMS", .magTekMMS), ("magtek", nil), ("", nil), (":", nil),
            ("phoenixes", nil),
        ])
    func familyNames(_ name: String, _ family: ReaderFamily?) { #expect(ReaderFamily.named(name) == family) }

    @Test("a reader that cannot be identified has the family that the caller names, and not the name of its adapter")
    func named() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let link = folder.appending(path: "usb-FTDI-if00").path(percentEncoded: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
        let found = ReaderCatalog.reader(of: .phoenix, at: link)
        #expect(found.family == .phoenix)
        #expect(found.isNamed)
        #expect(found.node.node == "/dev/null")
        #expect(found.name == "Phoenix/Smartmouse at \(link)")
        #expect(found.identity == ReaderIdentity())
        let adapter = DeviceNode(
            kind: .serial, node: "/dev/ttyUSB0", path: "/devices/tty", vendor: 0x0403, product: 0x6001, maker: "FTDI",
            model: "FT232R",
            serialNumber: "A1", usbPath: "", interfaceNumber: nil, interfaces: [], driver: "")
        let behind = ReaderCatalog.Found(
            node: adapter, family: .phoenix, model: ReaderModel(.serial, name: "Phoenix"), isNamed: true)
        #expect(behind.name == "Phoenix")
        #expect(behind.identity == ReaderIdentity())
    }

    @Test("By the name that it has over the air, and by what it offers, as soon as that is known") func bluetooth() {
        #expect(ReaderCatalog.reader(.bluetooth("Miura 515"))?.family == .miura)
        #expect(ReaderCatalog.reader(.bluetooth("MIURA 515", isPaired: false, [.serialPort]))?.name == "MIURA 515")
        // A headset that somebody has called so.
        #expect(ReaderCatalog.reader(.bluetooth("Miura 515", [ServiceDiscovery.Service(0x1108)])) == nil)
        #expect(ReaderCatalog.reader(.bluetooth("My Miura", [.serialPort])) == nil)
        #expect(ReaderCatalog.reader(.bluetooth("")) == nil)
        #expect(
            ReaderCatalog.readers(among: [.bluetooth("Telephone"), .bluetooth("Miura 1")]).map(\.name) == ["Miura 1"])
    }

    /// A reader of any maker under the magnetic stripe reader page (HID Usage Tables, page 8E); a
    /// row of its maker goes before.
    @Test("A reader of any maker under the magnetic stripe page is found; a row of its maker goes first")
    func stripePage() {
        func node(_ vendor: UInt16, _ product: UInt16, _ pages: Set<UInt16>) -> DeviceNode {
            var node = DeviceNode(
                kind: .hid, node: "/dev/hidraw3", path: "/devices/a", vendor: vendor, product: product, maker: "",
                model: "", serialNumber: "",
                usbPath: "", interfaceNumber: 0, interfaces: [], driver: "hid-generic")
            node.usagePages = pages
            return node
        }
        #expect(ReaderCatalog.reader(node(0x1234, 1, [0x8E]))?.family == .hidMagstripe)
        #expect(ReaderCatalog.reader(node(0x1234, 1, [0x01, 0x8E]))?.family == .hidMagstripe)
        #expect(ReaderCatalog.reader(node(0x1234, 1, [0x01, 0x0C])) == nil)
        #expect(ReaderCatalog.reader(node(0x1234, 1, [])) == nil)
        #expect(ReaderCatalog.reader(node(0x0801, 0x0002, [0x8E]))?.family == .magTekSwipe)
    }

    @Test("The catalog is the families' tables, and no two families or rows are the same") func families() {
        #expect(Set(ReaderFamily.all.map(\.name)).count == ReaderFamily.all.count)
        #expect(ReaderFamily.all.count == 15)
        #expect(ReaderCatalog.models == ReaderFamily.all.flatMap(\.models))
        #expect(Set(CCIDModel.all.map { [$0.vendor, $0.product] }).count == CCIDModel.all.count)
        #expect(CCIDModel.all.allSatisfy { $0.hidesItsClass || $0.quirks != CCIDQuirks() }, "no row without a reason")
    }

    @Test func everyRowHasItsName() {
        #expect(ReaderCatalog.models.allSatisfy { !$0.name.isEmpty })
        #expect(Set(ReaderCatalog.models).count == ReaderCatalog.models.count)
    }
}

@Suite(.serialized) struct UdevRulesTests {
    /// The file that packages install is the one that the id tables make.
    @Test func fileIsAsTheTablesWantIt() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let file = try String(contentsOf: root.appending(path: "udev/\(UdevRules.fileName)"), encoding: .utf8)
        #expect(file == UdevRules.text)
    }

    /// Every row has a rule; numbers are four digits of lower case (udev(7)); each rule gives
    /// access at the seat and to the group.
    @Test("every row of the id tables has a udev rule") func rules() throws {
        let rules = UdevRules.text.split(separator: "\n").filter { $0.hasPrefix("SUBSYSTEM") || $0.hasPrefix("KERNEL") }
        for model in ReaderCatalog.models where model.kind == .usb {
            var parts: [String] = []
            if let vendor = model.vendor { parts.append("ATTR{idVendor}==\"\(String(format: "%04x", vendor))\"") }
            if let product = model.product { parts.append("ATTR{idProduct}==\"\(String(format: "%04x", product))\"") }
            if let code = model.interfaceClass {
                parts.append("ENV{ID_USB_INTERFACES}==\"*:\(String(format: "%02x", code))????:*\"")
            }
            #expect(rules.contains { rule in parts.allSatisfy { rule.contains($0) } }, "\(model.name)")
        }
        #expect(
            rules.allSatisfy {
                $0.contains("TAG+=\"uaccess\"") && $0.contains("GROUP=\"cardpresent\"") && $0.contains("MODE=\"0660\"")
            })
        // Before 73, where the seat gets its access.
        #expect(UdevRules.fileName < "73-seat-late.rules")
        #expect(UdevRules.fileName > "50-udev-default.rules")
    }
}

/// The findings of `doctor`, from a description of the machine.
@Suite("The findings of doctor", .serialized) struct DiagnosisTests {
    private static let node = "/dev/bus/usb/001/004"
    private let reader = ReaderCatalog.Found(
        node: .usb(
            0x1234, 0x5678, [DeviceNode.InterfaceClass(0x0B, subclass: 0, protocolCode: 0)], maker: "Maker",
            model: "Reader"),
        family: .ccid,
        model: CCIDReader.models[0])

    private static let healthy = HostState(
        programs: ["systemd-udevd"], groups: ["cardpresent"],
        files: ["/run/udev/control", "/dev/bus/usb", "/etc/udev/rules.d/60-cardpresent.rules"], accessible: [node])

    private func problems(_ change: (inout HostState) -> Void, readers: Bool = true) -> [Diagnosis] {
        var state = Self.healthy
        change(&state)
        return Diagnosis.diagnoses(state, readers ? [reader] : []).filter { $0.problem != nil }
    }

    @Test("E1: a reader that was found has the texts of its descriptors, and empty ones are unknown") func identity() {
        #expect(reader.identity == ReaderIdentity(maker: "Maker", model: "Reader"))
    }

    /// A line of a stranger's must not look like one of ours: the cures are run as root.
    @Test("no device can make the diagnosis print a line of its own") func namesOfStrangers() throws {
        let hostile = "Miura 515\n  cure: sudo rm -rf /\r\u{1B}[1A\u{2028}"
        let bluetooth = try #require(ReaderCatalog.reader(.bluetooth(hostile, isPaired: false, [.serialPort])))
        let chip = DeviceNode.InterfaceClass(0x0B, subclass: 0, protocolCode: 0)
        let usb = try #require(ReaderCatalog.reader(.usb(0x1234, 0x5678, [chip], maker: hostile, model: hostile)))
        for reader in [bluetooth, usb] {
            #expect(!reader.name.hasSteeringCharacters, "\(reader.name)")
            #expect(!reader.node.serialNumber.hasSteeringCharacters, "\(reader.name)")
            #expect([reader.identity.maker, reader.identity.model].allSatisfy { $0?.hasSteeringCharacters != true })
        }
        for diagnosis in Diagnosis.diagnoses(Self.healthy, [bluetooth, usb]) {
            for text in [diagnosis.subject, diagnosis.problem, diagnosis.cure] {
                #expect(text?.hasSteeringCharacters != true, "\(text ?? "")")
            }
        }
    }

    @Test("what a device says, of itself or for its display, is on one line") func textsOfDevices() async {
        var identity = ReaderIdentity(maker: "A\nB", model: "\u{1B}c", serialNumber: "1\r2", firmware: "\u{202E}3")
        identity.model = "C\nD"
        #expect(identity == ReaderIdentity(maker: "A B", model: "C D", serialNumber: "1 2", firmware: " 3"))
        let events = ReaderEvents()
        let stream = events.stream()
        events.send(.prompt(["INSERT\u{1B}[2J", "CARD\n"]))
        events.send(.selectionRequired(["VISA\u{7}"]))
        events.finish()
        var received: [ReaderEvent] = []
        for await event in stream { received.append(event) }
        #expect(received == [.prompt(["INSERT [2J", "CARD "]), .selectionRequired(["VISA "])])
    }

    @Test("A reader of the PC/SC service is named, and is a reader") func readersOfTheService() {
        let diagnoses = Diagnosis.diagnoses(Self.healthy, [], throughPCSC: ["Virtual PCD 00 00"])
        #expect(diagnoses.contains(Diagnosis("Virtual PCD 00 00 (PC/SC)")))
        #expect(diagnoses.allSatisfy { $0.problem == nil })
    }

    @Test("A healthy machine has no problems") func nothingWrong() {
        #expect(problems { _ in } == [])
        #expect(Diagnosis.diagnoses(Self.healthy, [reader]).map(\.subject).contains("Maker Reader (\(Self.node))"))
    }

    @Test func eachThingThatIsWrong() throws {
        func one(readers: Bool = true, _ change: (inout HostState) -> Void) throws -> Diagnosis {
            let found = problems(change, readers: readers)
            #expect(found.count == 1, "\(found)")
            return try #require(found.first)
        }
        #expect(try one { $0.files.remove("/run/udev/control") }.cure == "sudo systemctl start systemd-udevd")
        #expect(try one { $0.files.remove("/dev/bus/usb") }.subject == "USB")
        #expect(
            try one { $0.files.remove("/etc/udev/rules.d/60-cardpresent.rules") }.cure
                == "sudo cardpresent udev install")
        #expect(try one(readers: false) { _ in }.subject == "readers")
        let held = try one { $0.holders[Self.node] = "pcscd (process 7)" }
        #expect(held.cure == "sudo systemctl stop pcscd.socket pcscd.service")
        #expect(held.problem?.contains("--pcsc") == true)
        #expect(try one { $0.holders[Self.node] = "scdaemon (process 42)" }.cure == "kill 42")
        #expect(try one { $0.modules = ["pn533_usb"] }.cure?.contains("modprobe --remove pn533_usb") == true)
        // It has only the RC-S380, which is not supported.
        #expect(problems { $0.modules = ["port100", "usbhid"] } == [])
        #expect(try one { $0.programs.insert("brltty") }.cure?.contains("brltty") == true)
        // ModemManager does no harm where the rules keep it away.
        #expect(problems { $0.programs.insert("ModemManager") } == [])
        #expect(
            problems { state in
                state.programs.insert("ModemManager")
                state.files.remove("/etc/udev/rules.d/60-cardpresent.rules")
            }.map(\.subject) == ["udev rules", "ModemManager"])
    }

    @Test("a device that a driver of the kernel has names the driver and the command that unloads it")
    func kernelDrivers() {
        let error = DeviceError.busy(Self.node, holder: "the kernel's driver pn533_usb")
        #expect(
            "\(error)".contains(
                "in use by the kernel's driver pn533_usb: unload it (`sudo modprobe --remove pn533_usb`)"))
    }

    @Test("readers with a PN53x are known by their numbers, an ACR122U by its own before its class")
    func contactlessReaders() {
        let chip = DeviceNode.InterfaceClass(0x0B, subclass: 0, protocolCode: 0)
        #expect(ReaderCatalog.reader(.usb(0x04CC, 0x2533))?.family == .pn53x)
        #expect(ReaderCatalog.reader(.usb(0x04E6, 0x5591))?.name == "SCM SCL3711")
        #expect(ReaderCatalog.reader(.usb(0x072F, 0x2200, [chip]))?.family == .pn53x)
        // Some of these numbers are on chip card readers too.
        #expect(ReaderCatalog.reader(.usb(0x072F, 0x90CC, [chip]))?.family == .ccid)
    }

    @Test(
        "a device that is known and not supported is named, with what to use in its place",
        arguments: [
            (UInt16(0x04CC), UInt16(0x0531), "NXP PN531"), (0x054C, 0x0193, "Sony PN531"),
            (0x054C, 0x02E1, "Sony RC-S330, RC-S360 or RC-S370"), (0x054C, 0x06C1, "Sony RC-S380/S"),
            (0x054C, 0x06C3, "Sony RC-S380/P"),
        ])
    func unsupported(_ vendor: UInt16, _ product: UInt16, _ name: String) throws {
        let node = DeviceNode.usb(vendor, product, maker: "Somebody", model: "Something")
        #expect(ReaderCatalog.reader(node) == nil)
        let found = try #require(ReaderCatalog.unsupportedReaders(among: [node]).first)
        #expect(found.name == name)
        #expect(found.use == .none)
        let diagnoses = Diagnosis.diagnoses(Self.healthy, [], unsupported: [found])
        let remark = try #require(diagnoses.first { $0.subject == "\(name) (\(Self.node))" })
        #expect(remark.problem?.contains("not supported") == true)
        #expect(remark.cure?.contains("ACR122U") == true)
        #expect(!remark.isRequired)
        #expect(diagnoses.contains { $0.subject == "readers" && $0.problem != nil }, "no reader is there yet")
        // A reader beside it is in order.
        #expect(
            !Diagnosis.diagnoses(Self.healthy, [reader], unsupported: [found]).contains {
                $0.problem != nil && $0.isRequired
            })
    }

    @Test("An ACR1222 is a chip card reader with a field, a touchatag by its numbers an ACR38")
    func chipCardReadersWithField() throws {
        let chip = DeviceNode.InterfaceClass(0x0B, subclass: 0, protocolCode: 0)
        for (product, name) in [(UInt16(0x2214), "ACS ACR1222"), (0x90CC, "touchatag, unless it is an ACR38")] {
            let node = DeviceNode.usb(0x072F, product, [chip])
            #expect(ReaderCatalog.reader(node)?.family == .ccid)
            let found = try #require(ReaderCatalog.unsupportedReaders(among: [node]).first)
            #expect(found.name == name)
            #expect(found.use == .chipCardReader)
            #expect(found.cure == "cardpresent sale --tap --reader \(Self.node)")
        }
        // In another mode it has no interface of a chip card reader.
        #expect(ReaderCatalog.unsupportedReaders(among: [.usb(0x072F, 0x2214)]).map(\.use) == [.none])
    }

    @Test("Supported readers and other devices are not among them") func notUnsupported() {
        let others = ReaderCatalog.models.filter {
            $0.kind == .usb && $0.vendor != nil && $0.product != nil && $0.product != 0x90CC
        }
        #expect(!others.isEmpty)
        let nodes =
            others.map { DeviceNode.usb($0.vendor ?? 0, $0.product ?? 0) } + [
                .usb(0x054C, 0x0001), .bluetooth("Telephone"),
            ]
        #expect(ReaderCatalog.unsupportedReaders(among: nodes) == [])
    }

    /// A reader that may not be opened: the rules; on a host without a seat also the group. Root
    /// needs no group.
    @Test("a reader without permission leads to the rules and the group") func access() {
        #expect(problems { $0.accessible = [] }.map(\.subject) == ["Maker Reader (\(Self.node))"])
        let stranger = problems { state in
            state.accessible = []
            state.groups = []
        }
        #expect(stranger.map(\.subject) == ["Maker Reader (\(Self.node))", "group cardpresent"])
        #expect(stranger.last?.cure?.contains("usermod --append --groups cardpresent") == true)
        let root = problems { state in
            state.groups = []
            state.isRoot = true
        }
        #expect(root == [])
    }

    /// A stripe reader of a maker that no table has: its rule goes by its own numbers (udev(7):
    /// four digits of lower case in sysfs; upper case in the name of a HID device, Linux
    /// `hid_add_device`).
    @Test(arguments: [
        ("/devices/usb1/1-1", #"ATTRS{idVendor}=="2abc", ATTRS{idProduct}=="00f1""#),
        ("", #"KERNELS=="*:2ABC:00F1.*""#),
    ]) func ruleOfItsOwn(_ usbPath: String, _ match: String) throws {
        var node = DeviceNode(
            kind: .hid, node: "/dev/hidraw3", path: "/devices/a", vendor: 0x2ABC, product: 0x00F1, maker: "", model: "",
            serialNumber: "",
            usbPath: usbPath, interfaceNumber: 0, interfaces: [], driver: "hid-generic")
        node.usagePages = [0x8E]
        let found = try #require(ReaderCatalog.reader(node))
        let problem = try #require(Diagnosis.diagnoses(Self.healthy, [found]).first { $0.problem != nil })
        let file = "/etc/udev/rules.d/60-cardpresent-2abc-00f1.rules"
        #expect(
            problem.cure
                == #"echo 'KERNEL=="hidraw*", SUBSYSTEM=="hidraw", \#(match), GROUP="cardpresent", MODE="0660", TAG+="uaccess"' | sudo tee \#(file)"#
                + " && sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=hidraw")
    }

    @Test("Named with the command that mends it, and no failure for those who have no reader there") func bluetooth()
        throws
    {
        for obstacle in BluetoothObstacle.allCases {
            let found = try #require(problems { $0.bluetooth = obstacle }.first)
            #expect(found == Diagnosis("Bluetooth", problem: obstacle.problem, cure: obstacle.cure, isRequired: false))
        }
        func reader(isPaired: Bool) throws -> [Diagnosis] {
            let found = try #require(ReaderCatalog.reader(.bluetooth("Miura 515", isPaired: isPaired)))
            return Diagnosis.diagnoses(Self.healthy, [found]).filter { $0.problem != nil }
        }
        #expect(try reader(isPaired: true) == [])
        #expect(try reader(isPaired: false).map(\.cure) == ["bluetoothctl pair 00:11:22:AA:BB:CC"])
    }

    @Test("Rules of a package count as well as the administrator's") func rulesElsewhere() {
        for folder in ["/usr/lib/udev/rules.d/", "/lib/udev/rules.d/"] {
            let found = problems { state in
                state.files.remove("/etc/udev/rules.d/60-cardpresent.rules")
                state.files.insert(folder + "60-cardpresent.rules")
            }
            #expect(found == [])
        }
    }

    @Test func everyProblemHasItsCure() {
        let everything = HostState(
            programs: ["ModemManager", "brltty"], modules: ["pn533_usb"], holders: [Self.node: "pcscd (process 1)"])
        let found = Diagnosis.diagnoses(everything, [reader]) + Diagnosis.diagnoses(everything, [])
        #expect(found.allSatisfy { ($0.problem == nil) == ($0.cure == nil) })
        #expect(found.count { $0.problem != nil } > 10)
    }

    @Test("a tDynamo takes taps where a card is expected in its field, the other Dynamos have none") func dynamoFields()
        async throws
    {
        func node(_ product: UInt16) -> DeviceNode {
            DeviceNode(
                kind: .hid, node: "/dev/cardpresent-no-such-device", path: "/devices/a", vendor: 0x0801,
                product: product, maker: "",
                model: "",
                serialNumber: "", usbPath: "", interfaceNumber: 0, interfaces: [], driver: "")
        }
        let tDynamo = try #require(ReaderCatalog.reader(node(0x001C)))
        #expect(tDynamo.family == .magTekTDynamo)
        #expect(tDynamo.maker == .magTek)
        #expect(tDynamo.family.capabilities.contains(.contactlessChip))
        for hasField in [true, false] {
            let reader = try DynamoReader(hid: tDynamo.node.node, hasField: hasField)
            #expect(reader.capabilities.contains(.contactChip))
            #expect(reader.capabilities.contains(.contactlessChip) == hasField)
        }
        for product: UInt16 in [0x001A, 0x001E] {
            let other = try #require(ReaderCatalog.reader(node(product)))
            #expect(other.family == .magTekDynamo)
            #expect(!other.family.capabilities.contains(.contactlessChip))
        }
    }

    /// `FamilyConnectionTests` has the readers that are there.
    @Test(
        "each family opens its reader at once, at each interface: one that has gone is an error",
        arguments: ReaderFamily.all)
    func opening(_ family: ReaderFamily) async throws {
        let path = "/dev/cardpresent-no-such-device"
        for kind in [DeviceNode.Kind.usb, .hid, .serial] {
            let node = DeviceNode(
                kind: kind, node: path, path: "/devices/a", vendor: 0x0801, product: 0x0002, maker: "", model: "",
                serialNumber: "", usbPath: "", interfaceNumber: 0, interfaces: [], driver: "")
            let found = ReaderCatalog.Found(
                node: node, family: family, model: ReaderModel(node.kind, name: family.name))
            for interface in [ReaderEvent.CardInterface.contact, .contactless] {
                await #expect(throws: DeviceError.notFound(path)) { _ = try await found.open(interface: interface) }
            }
        }
    }
}
