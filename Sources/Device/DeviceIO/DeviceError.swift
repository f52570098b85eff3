private import Glibc

/// Why a device could not be reached, or an operation failed. The texts name the cure, and contain
/// no data from a device.
public enum DeviceError: Error, Hashable, Sendable {
    /// The device does not exist, or was removed.
    case notFound(String)
    /// This user may not open the device file.
    case accessDenied(String)
    /// Another program or driver uses the device; `holder` names it if it is known.
    case busy(String, holder: String?)
    /// The device was disconnected during the exchange.
    case disconnected
    case timedOut
    case cancelled
    /// A Bluetooth device does not answer its page: it is asleep, out of range or switched off.
    case asleep(String)
    /// A Bluetooth device refuses: it is paired or connected with another computer, or has lost its
    /// pairing with this one.
    case pairedElsewhere(String)
    /// Bluetooth cannot be used on this computer.
    case bluetoothUnavailable(BluetoothObstacle)
    /// A Bluetooth device has no serial port.
    case notOffered(String)
    /// A Bluetooth device refuses an RFCOMM channel that it does not list.
    case channelNotOffered(String, UInt8)
    /// There is a host at the address, but no reader that accepts connections.
    case notListening(String)
    /// The device does not support the endpoint or report.
    case stalled
    /// The device refused the operation.
    case rejected(Refusal)
    /// The device does not conform to its protocol.
    case malformed(Message, Fault)
    /// Any other error of the system.
    case system(call: String, code: Int32)
}

extension DeviceError {
    /// The kind of an error without its details, by the names of the cases.
    ///
    /// The raw values are stable: programs and logs may keep them.
    public enum Code: String, Sendable, CaseIterable {
        /// The error of this name.
        case notFound, accessDenied, busy, disconnected, timedOut, cancelled, asleep, pairedElsewhere,
            bluetoothUnavailable, notOffered,
            channelNotOffered, notListening, stalled, rejected, malformed, system
    }

    /// The kind of the error, for programs.
    public var code: Code {
        switch self {
        case .notFound: .notFound
        case .accessDenied: .accessDenied
        case .busy: .busy
        case .disconnected: .disconnected
        case .timedOut: .timedOut
        case .cancelled: .cancelled
        case .asleep: .asleep
        case .pairedElsewhere: .pairedElsewhere
        case .bluetoothUnavailable: .bluetoothUnavailable
        case .notOffered: .notOffered
        case .channelNotOffered: .channelNotOffered
        case .notListening: .notListening
        case .stalled: .stalled
        case .rejected: .rejected
        case .malformed: .malformed
        case .system: .system
        }
    }
}

extension DeviceError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notFound(let device): "\(device) not found: connect it, or list the readers with `cardpresent readers`"
        case .accessDenied(let device):
            "this user has no permission to open \(device): install the udev rules (`sudo cardpresent udev install`) and connect the reader again"
        case .busy(let device, let holder?) where holder.hasPrefix("pcscd"):
            "\(device) is in use by \(holder): use the reader through PC/SC (`cardpresent apdu --pcsc`), or stop \(holder)"
        case .busy(let device, let holder?) where holder.hasPrefix(Self.kernelDriver):
            "\(device) is in use by \(holder): unload it (`sudo modprobe --remove \(holder.dropFirst(Self.kernelDriver.count))`), and keep it away (`cardpresent doctor`)"
        case .busy(let device, let holder?): "\(device) is in use by \(holder): stop it, or use the reader through it"
        case .busy(let device, nil):
            "\(device) is in use by another program or driver, a chip card reader most likely by pcscd: use it through PC/SC, or find the program with `sudo cardpresent doctor`"
        case .disconnected: "the device was disconnected"
        case .timedOut: "the device did not answer in time"
        case .cancelled: "the operation was cancelled"
        case .asleep(let device):
            "\(device) does not answer: switch it on or press a key to wake it, and bring it into range"
        case .pairedElsewhere(let device):
            "\(device) refuses this machine; it may be paired or connected with another: unpair it there, or reset its pairing at the reader, then pair it here (`bluetoothctl remove \(device)`, `bluetoothctl pair \(device)`)"
        case .bluetoothUnavailable(let obstacle): "\(obstacle.problem): \(obstacle.cure)"
        case .notOffered(let device):
            "\(device) offers no serial port: check that it is the right device and in serial mode"
        case .channelNotOffered(let device, let channel):
            "\(device) refuses channel \(channel), which it does not offer: omit the channel, and the device is asked for the right one"
        case .notListening(let device):
            "\(device) refuses the connection: switch the reader on, and check address and port"
        case .stalled: "the device refused the request"
        case .rejected(let reason): reason.description
        case .malformed(.echo, .differs):
            "the echo differs from the data sent: check the reader's cable and clock frequency"
        case .malformed(let message, let fault): "protocol error of the device: \(message): \(fault)"
        case .system("EVIOCGRAB", ENOTTY): "the file is no keyboard: give one of /dev/input/by-id"
        case .system(let call, let code): "\(call) failed: \(Self.text(code))"
        }
    }

    /// The prefix of a holder's name that is a driver of the kernel.
    static let kernelDriver = "the kernel's driver "

    private static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    /// The error of a negative result of the shim when `device` is opened.
    static func opening(_ device: String, _ status: Int32, _ call: String) -> DeviceError {
        switch -status {
        case ENOENT, ENODEV, ENXIO: .notFound(device)
        case EACCES, EPERM: .accessDenied(device)
        case EBUSY, EWOULDBLOCK: .busy(device, holder: nil)
        default: .system(call, status)
        }
    }

    /// The error of a negative result of the shim during an exchange.
    static func system(_ call: String, _ status: Int32) -> DeviceError {
        switch -status {
        case ENODEV, EIO, ENXIO, ECONNRESET, ECONNABORTED, ENETDOWN, ESHUTDOWN: .disconnected
        case EPIPE: .stalled
        case ETIMEDOUT: .timedOut
        case ECANCELED: .cancelled
        default: .system(call: call, code: -status)
        }
    }
}

/// The result of a call of the shim, which is negative if it failed.
@discardableResult
func check(_ status: CInt, _ call: String) throws(DeviceError) -> CInt {
    guard status >= 0 else { throw .system(call, status) }
    return status
}

@discardableResult
func check(_ status: Int, _ call: String) throws(DeviceError) -> Int {
    guard status >= 0 else { throw .system(call, Int32(truncatingIfNeeded: status)) }
    return status
}
