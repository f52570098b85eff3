internal import CDeviceIO
private import Glibc

/// A serial connection over Bluetooth. The device must already be paired.
///
/// After a cancelled connection attempt, the other side may still have the abandoned channel and
/// refuse the next one, until the kernel drops the link some seconds later. A connection that is
/// opened directly after another was closed may be lost at once.
public final class RFCOMMConnection: ByteTransport {
    public let name: String
    private let stream: StreamDescriptor

    /// - Parameters:
    ///   - channel: 1 to 30; nil asks the device for the channel of `service`.
    ///   - service: The serial port, usually.
    ///   - cancel: Ends waits.
    public init(
        address: BluetoothAddress, channel: UInt8? = nil, service: ServiceDiscovery.Service = .serialPort,
        by deadline: Deadline,
        cancel: WakeEvent?
    ) throws(DeviceError) {
        name = address.description
        let target =
            if let channel { channel } else {
                try ServiceDiscovery.channel(of: service, at: address, by: deadline, cancel: cancel)
            }
        var descriptor: CInt
        var pause = Duration.milliseconds(100)
        var resets = 0
        repeat {
            descriptor = unsafe cdio_rfcomm_connect(
                address.bytes, target, cancel?.descriptor ?? -1, deadline.nanoseconds)
            // The kernel drops a closed connection after a moment, and may drop the new one with
            // it.
            if descriptor == -ECONNRESET { resets += 1 }
            guard descriptor == -EBUSY || (descriptor == -ECONNRESET && resets <= 3) else { break }
            let waited = cdio_wait_readable(nil, 0, cancel?.descriptor ?? -1, min(.after(pause), deadline).nanoseconds)
            if waited == -ECANCELED { throw .cancelled }
            pause *= 2
        } while !deadline.hasPassed
        guard descriptor >= 0 else {
            throw channel == nil || descriptor != -ECONNREFUSED
                ? .bluetooth(name, descriptor) : Self.refusal(of: target, at: address, by: deadline, cancel: cancel)
        }
        stream = StreamDescriptor(descriptor, call: "RFCOMM connection", cancel: cancel)
    }

    /// The kernel reports ECONNREFUSED in two cases: no service listens on the channel, or the
    /// reader refuses this computer. The reader's list of services distinguishes the two cases. A
    /// reader that does not return its list refuses this computer.
    private static func refusal(
        of channel: UInt8, at address: BluetoothAddress, by deadline: Deadline, cancel: WakeEvent?
    ) -> DeviceError {
        do throws(DeviceError) {
            let offered = try ServiceDiscovery.channels(at: address, by: deadline, cancel: cancel)
            return offered.contains(channel)
                ? .pairedElsewhere(address.description) : .channelNotOffered(address.description, channel)
        } catch {
            return error == .cancelled ? .cancelled : .pairedElsewhere(address.description)
        }
    }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try stream.write(bytes, by: deadline)
    }
    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
    public var readiness: CInt { stream.descriptor }
}

extension DeviceError {
    /// The error of a negative result while a Bluetooth connection is opened.
    static func bluetooth(_ device: String, _ status: CInt) -> DeviceError {
        switch -status {
        case EHOSTDOWN: .asleep(device)
        // EBADE: the key of the pairing is missing or wrong.
        case ECONNREFUSED, EACCES, EPERM, EBADE: .pairedElsewhere(device)
        case EBUSY: .busy(device, holder: nil)
        case EHOSTUNREACH: .bluetoothUnavailable(.switchedOff)
        case EAFNOSUPPORT, EPROTONOSUPPORT, ENODEV: .bluetoothUnavailable(.noAdapter)
        default: .system("Bluetooth connection", status)
        }
    }
}
