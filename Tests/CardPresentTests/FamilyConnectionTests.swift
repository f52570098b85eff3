import Bytes
import CardBench
import CardCapture
import EMVKernel
import Foundation
import Glibc
import PaymentTerminal
import ReaderDoubles
import Synchronization
import Testing

@testable import CardPresent
@testable import CardReaders
@testable import DeviceIO

/// `Terminal.connect` opens and identifies a reader of each family: by its device file where it has
/// a line, by a double of its reports or transfers where it has those. Nodes of USB and of HID are
/// opened in the emulated machine, by `RealConnectionTests`.
@Suite("A terminal is connected with readers that are there, and with no others", .serialized, .timeLimit(.minutes(20)))
struct FamilyConnectionTests {
    private let kernel = TerminalConfiguration.attended(countryCode: 276, caKeys: [], hasPINPad: false)

    private func terminal() async throws -> Terminal {
        let configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        let terminal = try await Terminal.bench(configuration: configuration)
        try await terminal.disconnect()
        return terminal
    }

    private func connect(
        _ found: ReaderCatalog.Found, _ terminal: Terminal, within limit: Duration? = nil
    ) async throws(TerminalError) {
        try await terminal.connect(
            found, within: limit, kernel: kernel,
            contactless: [.visa(limits: .init(transactionLimit: 300_00, floorLimit: 25_00, cvmRequiredLimit: 50_00))])
    }

    /// What the device at the other end of a line does.
    private typealias Device = @Sendable (DeviceLine) -> Void

    /// The serial families and a device of each.
    private static func devices() throws -> [(family: ReaderFamily, device: Device)] {
        let (pad, neo, flex, chip) = (EmulatedPINPad(), EmulatedNEO(), EmulatedDynaFlex(), EmulatedPN53x())
        let miura = try EmulatedMiura(card: nil)
        return [
            (.abecs, { pad.live($0) }), (.idTechNEO, { neo.live($0) }), (.magTekMMS, { flex.live($0) }),
            (.pn53x, { chip.live($0) }),
            (.miura, { miura.live($0) }), (.msr605, msr605), (.gemPCTwin, gemPC),
            // They only send, or have no answer without a card.
            (.phoenix, silent), (.idTechSwipe, silent),
        ]
    }

    private static let silent: Device = { line in while line.byte() != nil {} }

    /// The communication test (MSR605 programmer's manual): escape e is answered with escape y. A
    /// reset has no answer.
    private static let msr605: Device = { line in
        var last: UInt8 = 0
        while let byte = line.byte() {
            if last == 0x1B, byte == 0x65 { line.write([0x1B, 0x79]) }
            last = byte
        }
    }

    /// Frames of GemPC Twin: 03 06, CCID message, exclusive or. It echoes the command, and answers
    /// an escape command (USB CCID 1.1, 6.2.3).
    private static let gemPC: Device = { line in
        func frame(_ message: [UInt8]) -> [UInt8] { [0x03, 0x06] + message + [message.reduce(0x03 ^ 0x06, ^)] }
        while line.bytes(2) != nil, let header = line.bytes(10), let data = line.bytes(Int(header[1])),
            line.byte() != nil
        {
            line.write(frame(header + data) + frame([0x83, 0, 0, 0, 0, header[5], header[6], 0, 0, 0]))
        }
    }

    @Test("a reader on a line is connected, and stays so: it is no device that udev lists") func onALine() async throws
    {
        for (family, device) in try Self.devices() {
            let line = try PseudoTerminalLine(device)
            let terminal = try await terminal()
            try await connect(ReaderCatalog.reader(of: family, at: line.path), terminal)
            let state = await terminal.deviceState
            #expect(state.connection == .connected, "\(family): \(state)")
            #expect(state.cardEntry == .reader(name: state.reader?.name ?? ""), "\(family)")
            #expect(state.reader?.capabilities.isSubset(of: family.capabilities) == true, "\(family): \(state)")
            try await terminal.disconnect()
        }
    }

    @Test("a device file that does not exist is not connected, for no family, and data may be keyed") func notThere()
        async throws
    {
        for family in ReaderFamily.all {
            let terminal = try await terminal()
            for path in ["/dev/hidraw4095", "/dev/ttyUSB4095"] {
                let error = await #expect(throws: TerminalError.self, "\(family) at \(path)") {
                    try await connect(ReaderCatalog.reader(of: family, at: path), terminal)
                }
                #expect(error?.code == .readerNotConnected, "\(family) at \(path): \(error as Any)")
                #expect(error?.readerFault == .notFound, "\(family) at \(path): \(error as Any)")
                #expect(await terminal.deviceState.cardEntry == .editable(.noReader), "\(family)")
            }
        }
    }

    @Test("a line that says nothing is no reader of a family that answers") func silence() async throws {
        let line = try PseudoTerminalLine(Self.silent)
        for family in [ReaderFamily.abecs, .idTechNEO, .magTekMMS, .pn53x, .miura, .msr605, .gemPCTwin] {
            let terminal = try await terminal()
            let error = await #expect(throws: TerminalError.self, "\(family)") {
                try await connect(ReaderCatalog.reader(of: family, at: line.path), terminal, within: .milliseconds(300))
            }
            #expect(error?.code == .readerNotConnected, "\(family): \(error as Any)")
            #expect(error?.readerFault == .silent, "\(family): \(error as Any)")
            #expect(await terminal.deviceState.connection == .none, "\(family)")
        }
    }

    @Test("a line that another program has is busy") func busy() async throws {
        for (family, device) in try Self.devices() {
            let line = try PseudoTerminalLine(device)
            let other = try SerialPort(path: line.path, line: SerialLine(rate: 9600), cancel: nil)
            let terminal = try await terminal()
            let error = await #expect(throws: TerminalError.self, "\(family)") {
                try await connect(ReaderCatalog.reader(of: family, at: line.path), terminal)
            }
            #expect(error?.readerFault == .busy, "\(family): \(error as Any)")
            withExtendedLifetime(other) {}
        }
    }

    @Test("a file that is no device of the family is named") func otherDevice() async throws {
        let terminal = try await terminal()
        for family in ReaderFamily.all {
            let error = await #expect(throws: TerminalError.self, "\(family)") {
                try await connect(ReaderCatalog.reader(of: family, at: "/dev/null"), terminal)
            }
            #expect(error?.code == .readerNotConnected, "\(family): \(error as Any)")
            #expect(error?.readerFault != nil, "\(family): \(error as Any)")
        }
    }

    @Test(
        "each fault of a device file has its code",
        arguments: [
            (DeviceError.notFound("/dev/x"), TerminalError.ReaderFault.notFound),
            (.accessDenied("/dev/x"), .accessDenied),
            (.busy("/dev/x", holder: nil), .busy), (.timedOut, .silent), (.asleep("x"), .silent),
            (.rejected(.keyboardMode), .other),
        ])
    func faults(error: DeviceError, fault: TerminalError.ReaderFault) async throws {
        let family = ReaderFamily("test", capabilities: .contactChip) { _ async throws(DeviceError) in throw error }
        let terminal = try await terminal()
        let thrown = await #expect(throws: TerminalError.self) {
            try await connect(ReaderCatalog.reader(of: family, at: "/dev/x"), terminal)
        }
        #expect(thrown?.code == .readerNotConnected)
        #expect(thrown?.readerFault == fault)
        #expect(thrown?.message.contains(error.description) == true)
    }

    // MARK: Readers with reports

    /// Input reports of a length in bytes, and feature reports that answer each command with
    /// `answer`: result code, length, data (D99875475, "Commands").
    private final class Reports: ReportTransport {
        let name = "double"
        let readiness: CInt = -1
        let reports: HIDReportDescriptor
        private let answer: [UInt8]?
        private var commands: [[UInt8]] = []

        init(_ descriptor: String, answer: String? = nil) throws(DeviceError) {
            reports = try HIDReportDescriptor(parsing: (try? [UInt8](hex: descriptor)) ?? [])
            self.answer = answer.flatMap { try? [UInt8](hex: $0) }
        }

        func read(by deadline: Deadline) throws(DeviceError) -> HIDReport { throw .timedOut }
        func write(_ report: HIDReport, by deadline: Deadline) throws(DeviceError) {}
        func setFeature(_ report: HIDReport) throws(DeviceError) { commands.append(report.revealed()) }
        func feature(_ number: UInt8) throws(DeviceError) -> HIDReport {
            guard let answer, !commands.isEmpty else { throw .timedOut }
            return HIDReport(number: number, answer)
        }
    }

    /// A chip card reader with one empty slot: it answers PC_to_RDR_GetSlotStatus, and nothing else
    /// (USB CCID 1.1, 6.1.2 and 6.2.2).
    private final class EmptyChipReader: USBTransport {
        let name = "chip card reader"
        let readiness: CInt = -1
        let descriptors: USBDescriptors
        private var answer: [UInt8]?

        /// Device, configuration, interface with two bulk endpoints (USB 2.0, 9.6), class
        /// descriptor: short APDUs, messages of 271 bytes (USB CCID 1.1, 5.1).
        init(classCode: String) throws(DeviceError) {
            let classDescriptor =
                "3621100100070300" + "0000A00F0000A00F000000002A0000164005"
                + "0000FE0000000000000000000000BA0402000F010000FFFF00000001"
            descriptors = try USBDescriptors(
                parsing: (try? [UInt8](
                    hex:
                        "1201000200000040E60834340001010200010902560001010080320904000002\(classCode)000000\(classDescriptor)"
                        + "07050102400000" + "07058202400000")) ?? [])
        }

        func claim(interface: UInt8) throws(DeviceError) {}
        func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {}
        func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
            throw .stalled
        }
        func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
            // Status: no card in the slot.
            if endpoint == 0x01, bytes.count == 10, bytes[0] == 0x65 {
                answer = [0x81, 0, 0, 0, 0, bytes[5], bytes[6], 2, 0, 0]
            }
        }
        func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
            guard endpoint == 0x82, let answer else { throw .timedOut }
            self.answer = nil
            return answer
        }
        func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError) { throw .stalled }
        func heard() throws(DeviceError) -> [UInt8]? { nil }
        func clearHalt(endpoint: UInt8) throws(DeviceError) {}
    }

    /// A keyboard where nobody types.
    private final class Keys: KeyTransport {
        let name = "keyboard"
        func next(by deadline: Deadline) throws(DeviceError) -> KeyEvent { throw .timedOut }
    }

    /// Usage page FF00, usage 1; an input report of 337 or 887 bytes and a feature report of 24.
    private static let sureSwipe = "0600FF0901A1010920150026FF0075089651018102092095" + "18B102C0"
    private static let magneSafe = "0600FF0901A1010920150026FF0075089677038102092095" + "18B102C0"
    /// Generic desktop, keyboard.
    private static let keyboard = "05010906A1010920150026FF00750895088102092095" + "18B102C0"
    /// Magnetic stripe reader page, usage 20, 64 bytes.
    private static let page8E = "058E0901A10109207508954015002600FF8102C0"

    private static func family(_ open: @escaping @Sendable () throws(DeviceError) -> any MagstripeSlot & OpeningDriver)
        -> ReaderFamily
    {
        ReaderFamily(magstripe: "double", capabilities: .magneticStripe) { _ throws(DeviceError) in try open() }
    }

    private static func dynamo(_ descriptor: String, _ answer: String?, hasField: Bool = false) -> ReaderFamily {
        let capabilities = hasField ? DynamoLink.fieldCapabilities : DynamoLink.capabilities
        return ReaderFamily("double", capabilities: capabilities) { opening async throws(DeviceError) in
            let reader = try DynamoReader(name: "Dynamo", capabilities: capabilities) { cancel throws(DeviceError) in
                DynamoLink(try Reports(descriptor, answer: answer), cancel: cancel, hasField: hasField)
            }
            return .reader(try await reader.ready())
        }
    }

    private static func ccid(classCode: String) -> ReaderFamily {
        ReaderFamily("double", capabilities: .contactChip) { opening async throws(DeviceError) in
            let reader = try CCIDReader(name: "chip card reader") { _ throws(DeviceError) in
                try EmptyChipReader(classCode: classCode)
            }
            guard let slot = try await reader.open().first else { throw .malformed(.chipCardSlot, .missing) }
            return .chip(slot)
        }
    }

    private static func magTek(_ descriptor: String, _ answer: String?) -> ReaderFamily {
        family { () throws(DeviceError) in
            try MagneSafeReader(name: "MagneSafe", capabilities: .magneticStripe) { cancel throws(DeviceError) in
                MagneSafe(try Reports(descriptor, answer: answer), cancel: cancel)
            }
        }
    }

    /// The software's number, as the manual's example of property 00 has it; a refusal; nothing.
    private static let number = "0002" + "3231" + String(repeating: "00", count: 20)
    private static let refusal = "0200" + String(repeating: "00", count: 22)

    @Test("a reader with reports is connected if they are those of its family, and it answers") func reports()
        async throws
    {
        let right: [ReaderFamily] = [
            Self.magTek(Self.magneSafe, Self.number), Self.magTek(Self.magneSafe, Self.refusal),
            Self.dynamo(Self.magneSafe, Self.number), Self.dynamo(Self.magneSafe, Self.number, hasField: true),
            Self.ccid(classCode: "0B"),
            Self.family { () throws(DeviceError) in
                try SureSwipeReader(name: "SureSwipe", capabilities: .magneticStripe) { _ throws(DeviceError) in
                    SureSwipe(try Reports(Self.sureSwipe))
                }
            },
            Self.family { () throws(DeviceError) in
                try HIDMagstripeReader(name: "page 8E", capabilities: .magneticStripe) { _ throws(DeviceError) in
                    try HIDMagstripe(Reports(Self.page8E))
                }
            },
            Self.family { () throws(DeviceError) in
                try KeyboardWedgeReader(name: "wedge", capabilities: .magneticStripe) { _ throws(DeviceError) in
                    KeyboardWedge(Keys())
                }
            },
        ]
        for (index, family) in right.enumerated() {
            let terminal = try await terminal()
            try await connect(ReaderCatalog.reader(of: family, at: "/dev/null"), terminal)
            #expect(await terminal.deviceState.connection == .connected, "number \(index)")
        }
    }

    @Test("reports of another device, and a reader that does not answer, are not connected") func otherReports()
        async throws
    {
        let wrong: [(ReaderFamily, TerminalError.ReaderFault)] = [
            (Self.magTek(Self.keyboard, Self.number), .other), (Self.magTek(Self.magneSafe, nil), .silent),
            (Self.dynamo(Self.magneSafe, nil), .silent), (Self.dynamo(Self.keyboard, Self.number), .other),
            (Self.dynamo(Self.magneSafe, nil, hasField: true), .silent),
            // An interface of mass storage.
            (Self.ccid(classCode: "08"), .other),
            (
                Self.family { () throws(DeviceError) in
                    try SureSwipeReader(name: "SureSwipe", capabilities: .magneticStripe) { _ throws(DeviceError) in
                        SureSwipe(try Reports(Self.keyboard))
                    }
                }, .other
            ),
            (
                Self.family { () throws(DeviceError) in
                    try HIDMagstripeReader(name: "page 8E", capabilities: .magneticStripe) { _ throws(DeviceError) in
                        try HIDMagstripe(Reports(Self.keyboard))
                    }
                }, .other
            ),
        ]
        for (index, (family, fault)) in wrong.enumerated() {
            let terminal = try await terminal()
            let error = await #expect(throws: TerminalError.self, "number \(index)") {
                try await connect(ReaderCatalog.reader(of: family, at: "/dev/null"), terminal)
            }
            #expect(error?.readerFault == fault, "number \(index): \(error as Any)")
            #expect(await terminal.deviceState.connection == .none, "number \(index)")
        }
    }
}
