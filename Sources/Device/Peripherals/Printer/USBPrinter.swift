package import DeviceIO

/// A USB printer by its endpoints, for computers without the kernel's usblp (USB Device Class
/// Definition for Printing Devices 1.1: class 07, subclass 01; protocol 01 one way, 02 two ways, 03
/// IEEE 1284.4). With usblp it is busy: then `/dev/usb/lp0` is the way.
package final class USBPrinter: ByteTransport {
    private static let largestRead = 4096
    /// Between two readings of a printer that has nothing to say, and says so.
    private static let pause = Duration.milliseconds(20)

    private let device: any USBTransport
    private let output: UInt8
    /// Nil for a printer of one way.
    private let input: UInt8?
    private let cancel: WakeEvent?

    /// Claims the printer.
    ///
    /// - Parameter cancel: Ends pauses; the transport's own waits end by its own.
    /// - Throws: `malformed` for a device that is no printer.
    package init(_ device: any USBTransport, cancel: WakeEvent?) throws(DeviceError) {
        let interfaces = device.descriptors.interfaces.filter { interface in
            interface.classCode == 0x07 && interface.subclass == 0x01 && interface.alternate == 0
        }
        // Two ways, if the printer has both.
        let chosen = interfaces.first { $0.protocolCode == 0x02 } ?? interfaces.first { $0.protocolCode == 0x01 }
        guard let chosen,
            let output = chosen.endpoints.first(where: { $0.transfer == .bulk && !$0.isInput })?.address
        else { throw .malformed(.printerInterface, .missing) }
        self.device = device
        self.output = output
        input = chosen.endpoints.first { $0.transfer == .bulk && $0.isInput }?.address
        self.cancel = cancel
        try device.claim(interface: chosen.number)
    }

    package var name: String { device.name }
    /// Its endpoints have no descriptor to wait for.
    package var readiness: CInt { -1 }

    package func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try device.write(endpoint: output, bytes, by: deadline)
    }

    package func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        while true {
            if let input {
                let bytes = try device.read(endpoint: input, atMost: min(count, Self.largestRead), by: deadline)
                guard bytes.isEmpty else { return bytes }
            }
            // Many printers answer with an empty packet at once.
            guard !deadline.hasPassed else { throw .timedOut }
            let moment = input == nil ? deadline : min(.after(Self.pause), deadline)
            guard let cancel else { throw .timedOut }
            try cancel.wait(until: moment)
        }
    }
}

extension DeviceError.Message {
    fileprivate static let printerInterface = Self("interface of a printer (class 07, subclass 01)")
}
