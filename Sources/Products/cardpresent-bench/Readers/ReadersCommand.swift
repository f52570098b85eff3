import ArgumentParser
import Bytes
import CardCapture
import CardReaders
import Console
import DeviceIO

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct ReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "List the connected readers, whether they can be opened, and which program uses them.",
        discussion: """
            The list opens no reader, so it disturbs no other program; --open opens the chip card \
            readers briefly and shows more. The list contains the Bluetooth readers that this machine \
            knows; --scan first looks for others, which must be awake and not connected elsewhere.

            \(ExitStatus.explanation)
            """)

    @Flag(help: "Open chip card readers and show their slots and cards.")
    var open = false

    @Option(
        help: ArgumentHelp(
            "First scan for Bluetooth readers for this many seconds; 0 for the default of 5.", valueName: "seconds"))
    var scan: Double?

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        if let scan, !(0...600).contains(scan) { throw ValidationError("--scan takes 0 to 600 seconds") }
    }

    /// A row for JSON.
    struct Row: Codable {
        var name: String
        var family: String
        /// The raw value of `ReaderModel.Maker`.
        var makerID: String?
        var node: String
        var vendor: String
        var product: String
        var serialNumber: String
        var capabilities: [String]
        var access: Bool
        var heldBy: String?
        /// For a Bluetooth reader.
        var isPaired: Bool?
        var slots: [Slot]?
        var exchange: String?
        var remarks: [String]?

        struct Slot: Codable {
            var card: Bool
            var answerToReset: String?
        }

        init(_ found: ReaderCatalog.Found) {
            let node = found.node
            name = found.name
            family = found.family.name
            makerID = found.maker?.rawValue
            self.node = node.node
            vendor = Self.hex(node.vendor)
            product = Self.hex(node.product)
            serialNumber = node.serialNumber
            capabilities = ReaderCapabilities.names.filter { found.family.capabilities.contains($0.0) }.map(\.1)
            isPaired = node.bluetooth?.isPaired
            access = isPaired ?? Self.mayOpen(node.node)
            heldBy = node.kind == .bluetooth ? nil : DeviceHolder.program(holding: node.node)
        }

        init(throughPCSC name: String) {
            self.name = name
            family = "PC/SC"
            capabilities = ["chip"]
            (node, vendor, product, serialNumber) = ("", "", "", "")
            access = true
        }

        private static func mayOpen(_ path: String) -> Bool { unsafe faccessat(AT_FDCWD, path, R_OK | W_OK, 0) == 0 }

        static func hex(_ value: some FixedWidthInteger) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: value.bitWidth / 4 - digits.count) + digits
        }
    }

    /// A known device that is not supported, or not directly.
    private struct Unsupported: Encodable {
        let name, node, vendor, product, problem, cure: String

        init(_ reader: UnsupportedReader) {
            (name, node) = (reader.name, reader.node.node)
            (vendor, product) = (Row.hex(reader.node.vendor), Row.hex(reader.node.product))
            (problem, cure) = (reader.problem, reader.cure)
        }
    }

    private struct Document: Encodable {
        let readers: [Row]
        let unsupported: [Unsupported]
    }

    func run() async throws {
        try await reportingErrors {
            var rows: [Row] = []
            if scan != nil {
                Progress.note("scanning for readers")
                _ = try await BluetoothDiscovery().known()
            }
            let all =
                if let scan { try await ReaderCatalog.discover(scanTime: .seconds(scan)) } else {
                    try ReaderCatalog.readers()
                }
            for found in all { rows.append(try await row(found)) }
            // A machine without the service has no readers there, which is not a failure.
            rows += ((try? PCSCReader.names()) ?? []).map(Row.init(throughPCSC:))
            let unsupported = ReaderCatalog.unsupportedReaders(among: try DeviceMonitor.devices(bus: nil)).map(
                Unsupported.init)
            if json {
                print(try JSONText.of(Document(readers: rows, unsupported: unsupported)))
            } else {
                show(rows)
                show(unsupported)
            }
        }
    }

    private func row(_ found: ReaderCatalog.Found) async throws -> Row {
        var row = Row(found)
        if open, found.family == .ccid, row.access {
            do {
                try await look(found, &row)
            } catch {
                row.remarks = ["\(error)"]
            }
        }
        return row
    }

    private func look(_ found: ReaderCatalog.Found, _ row: inout Row) async throws {
        let reader = try CCIDReader(found.node, rules: .iso, interface: nil)
        let slots = try await reader.open()
        row.slots = []
        for slot in slots {
            var entry = Row.Slot(card: try await slot.isCardPresent)
            if entry.card {
                entry.answerToReset = try? await slot.activate().answerToReset.map { Row.hex($0) }.joined()
            }
            row.slots?.append(entry)
        }
        let information = await reader.information
        row.exchange = information?.descriptor.level.rawValue
        row.remarks = information?.remarks
        await reader.close()
    }

    private func text(_ slot: Row.Slot) -> String {
        guard slot.card else { return "empty" }
        guard let answer = slot.answerToReset else { return "a card" }
        switch (try? [UInt8](hex: answer)).flatMap(ContactlessAnswerToReset.init)?.card {
        case .transmissionProtocol?: return "a contactless card, ATR \(answer)"
        case .storage?: return "a contactless storage card, ATR \(answer)"
        case nil: return "a card, ATR \(answer)"
        }
    }

    private func show(_ readers: [Unsupported]) {
        let console = Console()
        for reader in readers {
            print(console.paint(reader.name, .bold))
            print("  \(reader.node), \(reader.vendor):\(reader.product)")
            print("  " + console.paint("\(reader.problem): \(reader.cure)", .yellow))
        }
    }

    private func show(_ rows: [Row]) {
        let console = Console()
        if rows.isEmpty { print("No reader is connected. `cardpresent doctor` finds possible causes.") }
        for row in rows {
            print(console.paint(row.name, .bold))
            if row.node.isEmpty {
                print("  \(row.family)")
                continue
            }
            let numbers = row.isPaired == nil ? ", \(row.vendor):\(row.product)" : ", Bluetooth"
            print("  \(row.family), \(row.node)\(numbers)" + (row.serialNumber.isEmpty ? "" : ", \(row.serialNumber)"))
            print("  " + row.capabilities.joined(separator: ", "))
            if let holder = row.heldBy { print("  " + console.paint("in use by \(holder)", .yellow)) }
            if row.isPaired == false {
                print("  " + console.paint("not paired with this machine: `bluetoothctl pair \(row.node)`", .red))
            } else if !row.access {
                print("  " + console.paint("no permission to open it: `sudo cardpresent udev install`", .red))
            }
            if let exchange = row.exchange { print("  exchanges \(exchange)") }
            for (number, slot) in (row.slots ?? []).enumerated() {
                print("  slot \(number + 1): " + text(slot))
            }
            for remark in row.remarks ?? [] { print("  " + console.paint(remark, .yellow)) }
        }
    }
}
