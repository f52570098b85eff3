import CardBench
import CardCapture
import CardPresent
import CardReaders
import DeviceIO
import EMVKernel
import Foundation
import PaymentTerminal
import Testing

/// Devices of the emulated machine whose node is no line: `FamilyConnectionTests` has the others.
/// The scenario `connections` of `tools/hil` sets them up and says so in the environment; from then
/// on a missing one is a failure.
struct ConnectedDevice: CustomTestStringConvertible {
    let family: ReaderFamily
    let kind: DeviceNode.Kind
    let vendor, product: UInt16
    let maker, model: String
    /// What it can do, once it is open.
    let capabilities: ReaderCapabilities

    var testDescription: String { model }

    /// As `tools/hil/usbip_device.py` plays them.
    static let all = [
        Self(
            family: .ccid, kind: .usb, vendor: 0x08E6, product: 0x3438, maker: "CardPresent",
            model: "Emulated CCID T=1",
            capabilities: [.contactChip, .cardEvents]),
        Self(
            family: .magTekTDynamo, kind: .hid, vendor: 0x0801, product: 0x001C, maker: "MagTek", model: "tDynamo",
            capabilities: [.contactChip, .contactlessChip, .ownKernel, .cardEvents]),
    ]

    func find() throws -> ReaderCatalog.Found {
        let nodes = try DeviceMonitor.devices(bus: nil)
        return try #require(
            nodes.filter { ($0.vendor, $0.product, $0.kind) == (vendor, product, kind) }.lazy.compactMap(
                ReaderCatalog.reader
            ).first)
    }

    /// Opens it as another program would, until what is returned is released.
    func hold() throws -> AnyObject {
        let path = try find().node.node
        guard kind == .usb else { return try HIDDevice(path: path, cancel: nil) }
        let taken = try USBDevice(node: path, cancel: nil)
        try taken.claim(interface: 0)
        return taken
    }

    /// Waits until a driver that nobody has any more has let go of it, which `Terminal.disconnect`
    /// does not wait for.
    func untilFree() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                _ = try hold()
                return
            } catch DeviceError.busy {
                try #require(ContinuousClock.now < end, "nobody uses it, and it is not free")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    static func areSetUp(_ situation: String) -> Bool {
        ProcessInfo.processInfo.environment["CARDPRESENT_REAL_DEVICES"] == situation
    }
}

extension Terminal {
    /// One of a bench, without its virtual card.
    static func unconnected() async throws -> Terminal {
        let terminal = try await bench()
        try await terminal.disconnect()
        return terminal
    }

    /// With contacts and no PIN pad, as our kernel has them over a plain reader.
    func connect(_ found: ReaderCatalog.Found) async throws(TerminalError) {
        try await connect(found, kernel: .attended(countryCode: 276, caKeys: [], hasPINPad: false))
    }
}
