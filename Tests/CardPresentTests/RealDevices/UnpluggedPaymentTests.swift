import CardBench
import CardCapture
import CardCryptography
import CardPresent
import CardReaders
import DeviceIO
import EMVKernel
import Foundation
import PaymentTerminal
import Testing

/// Readers of the emulated machine that go away at every step of a payment. The scenario `payments`
/// of `tools/hil` sets them up; a missing one is a failure.
@Suite(
    .serialized, .enabled(if: ProcessInfo.processInfo.environment["CARDPRESENT_REAL_DEVICES"] == "payments"),
    .timeLimit(.minutes(20)))
struct UnpluggedPaymentTests {
    /// A device of `tools/hil/usbip_device.py`, which obeys the lines that are written to its pipe.
    struct Device: CustomTestStringConvertible {
        let name: String
        let vendor, product: UInt16
        let kind: DeviceNode.Kind
        /// The family, for a device that cannot be identified.
        var family: ReaderFamily?
        /// The file with the CA keys of its chip card.
        var caKeys: String?
        /// The file with the keys of its swipes.
        var swipeKeys: String?

        var testDescription: String { name }

        func tell(_ line: String) throws {
            let pipe = try FileHandle(forWritingTo: URL(filePath: "/tmp/devices/\(name)"))
            try pipe.write(contentsOf: Data("\(line)\n".utf8))
            try pipe.close()
        }

        /// How often it went away at a transfer.
        func departures() throws -> Int {
            try String(contentsOfFile: "/tmp/devices/\(name).log", encoding: .utf8).split(separator: "\n").count {
                $0 == "goes"
            }
        }

        func find() throws -> ReaderCatalog.Found? {
            let node = try DeviceMonitor.devices(bus: nil).first {
                ($0.vendor, $0.product, $0.kind) == (vendor, product, kind)
            }
            guard let node else { return nil }
            return family.map { ReaderCatalog.reader(of: $0, at: node.node) } ?? ReaderCatalog.reader(node)
        }
    }

    private static let devices = [
        Device(name: "ccid-served", vendor: 0x08E6, product: 0x343B, kind: .usb, caKeys: "/tmp/ccid-keys.tsv"),
        Device(name: "abecs", vendor: 0x1753, product: 0xC902, kind: .serial, caKeys: "/tmp/abecs-keys.tsv"),
        Device(name: "miura", vendor: 0x1209, product: 0x0010, kind: .serial, family: .miura),
        Device(name: "hid-337", vendor: 0x0801, product: 0x0002, kind: .hid),
        Device(name: "hid-887", vendor: 0x0801, product: 0x0011, kind: .hid, swipeKeys: "/tmp/swipe-keys.txt"),
    ]

    /// Every transfer, or each of so many.
    private static let stride = ProcessInfo.processInfo.environment["CARDPRESENT_UNPLUG_EACH"].flatMap { Int($0) } ?? 1

    /// Longer than any payment here: more means that the device no longer counts.
    private static let maximumSteps = 400

    @Test(
        "unplugged before each of its transfers, a reader is gone for the terminal as it is for the kernel",
        arguments: devices)
    func unplugged(_ device: Device) async throws {
        var rules = HostRules()
        rules.swipeKeys = try device.swipeKeys.map {
            try SwipeDecryption(keyFile: String(contentsOfFile: $0, encoding: .utf8))
        }
        let terminal = try await Terminal.bench(rules: rules)
        try await terminal.disconnect()
        let signature = try #require(Signature(strokes: [[.init(x: 1, y: 1), .init(x: 9, y: 9)]]))
        let cashier = Task { [events = terminal.eventStream()] in
            for await event in events {
                if case .signatureRequired(let request) = event.content { request.submit(signature) }
            }
        }
        defer { cashier.cancel() }
        let keys =
            try device.caKeys.map { CAPublicKeyFile.read(try String(contentsOfFile: $0, encoding: .utf8)).keys } ?? []
        var kernel = TerminalConfiguration.attended(countryCode: 276, caKeys: keys, hasPINPad: true)
        kernel.accept(.visaStyle())
        var (steps, points) = (0, 0)
        var longest = (time: Duration.zero, transfer: 0)
        while steps < Self.maximumSteps {
            let found = try await plugged(device)
            try await terminal.connect(found, kernel: kernel, pinPad: BenchPINPad.make())
            let connected = await terminal.deviceState.reader?.name
            // A reader that the terminal is in contact with may go before the payment begins.
            let departures = try device.departures()
            try device.tell("unplug-at \(steps + 1)")
            let sale = try Sale(
                orderID: OrderID("\(device.name)-\(steps)"), amount: Money(minorUnits: 10_00, currency: .euro))
            let result = await outcome(of: sale, at: terminal)
            let response = try? result.get()
            guard try device.departures() > departures else {
                #expect(response?.outcome == .approved, "a payment with fewer transfers is whole: \(result)")
                break
            }
            steps += Self.stride
            points += 1
            #expect(response?.outcome != .unknown)
            try await wait("the kernel keeps the device") {
                !FileManager.default.fileExists(atPath: "/sys\(found.node.path)")
            }
            let gone = ContinuousClock.now
            try await wait("the terminal keeps the reader") { await !terminal.deviceState.isConnected }
            let time = ContinuousClock.now - gone
            if time > longest.time { longest = (time, steps + 1 - Self.stride) }
            let state = await terminal.deviceState
            #expect(state.reader?.name == connected)
            #expect(connected != nil)
            guard case .editable(.readerLost) = state.cardEntry else {
                Issue.record("the reader is gone, and the state says \(state)")
                return
            }
            try await terminal.disconnect()
        }
        #expect(steps > 0)
        #expect(steps < Self.maximumSteps)
        try await terminal.disconnect()
        print(
            "measured: \(device.name) unplugged at \(points) transfers; the terminal knew at most \(longest.time) after the kernel, at transfer \(longest.transfer)"
        )
    }

    private func outcome(of sale: Sale, at terminal: Terminal) async -> Result<PaymentResponse, TerminalError> {
        do throws(TerminalError) {
            return .success(try await terminal.processSale(sale))
        } catch {
            return .failure(error)
        }
    }

    /// Plugs the device in, and waits until the kernel has its node.
    private func plugged(_ device: Device) async throws -> ReaderCatalog.Found {
        if let found = try device.find() { return found }
        try device.tell("plug")
        try await wait("the kernel has no node") {
            try device.find().map { FileManager.default.isWritableFile(atPath: $0.node.node) } ?? false
        }
        return try #require(try device.find())
    }

    /// Waits until `isThere`, at most a minute.
    private func wait(_ failure: Comment, until isThere: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await !isThere() {
            try #require(ContinuousClock.now < end, failure)
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
