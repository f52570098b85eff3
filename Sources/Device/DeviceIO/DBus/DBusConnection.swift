internal import CDeviceIO
private import Glibc

/// A connection to a message bus, for one thread.
///
/// The protocol is implemented here: a library does not support our deadlines and our event for
/// cancellation.
final class DBusConnection {
    /// The result of a call.
    enum Answer: Equatable {
        case returned([DBusValue])
        /// The name of the error, such as `org.freedesktop.DBus.Error.NameHasNoOwner`.
        case failed(String)
    }

    static let bus = "org.freedesktop.DBus"
    private static let longestLine = 1024

    private let stream: StreamDescriptor
    private var received: [UInt8] = []
    private var serial: UInt32 = 0

    /// Becomes readable when messages have arrived.
    var descriptor: CInt { stream.descriptor }

    /// Connects, authenticates this user, and sends Hello.
    convenience init(_ address: DBusAddress, by deadline: Deadline, cancel: WakeEvent?) throws(DeviceError) {
        let descriptor = unsafe cdio_unix_connect(
            address.path, address.path.count, cancel?.descriptor ?? -1, deadline.nanoseconds)
        switch -descriptor {
        case ..<1: break
        case ENOENT, ECONNREFUSED: throw .bluetoothUnavailable(.noBus)
        case EACCES, EPERM: throw .bluetoothUnavailable(.accessDenied)
        default: throw .system("D-Bus", descriptor)
        }
        try self.init(StreamDescriptor(descriptor, call: "D-Bus", cancel: cancel), by: deadline)
    }

    /// - Parameter stream: A new stream to a bus, on which nothing was sent yet.
    init(_ stream: StreamDescriptor, by deadline: Deadline) throws(DeviceError) {
        self.stream = stream
        try authenticate(by: deadline)
        let hello = DBusMessage.call(Self.bus, path: "/org/freedesktop/DBus", interface: Self.bus, member: "Hello")
        guard case .returned = try call(hello, by: deadline, meanwhile: { _ in }) else {
            throw .bluetoothUnavailable(.accessDenied)
        }
    }

    /// The bus identifies the user by the socket (D-Bus Specification, Authentication Protocol,
    /// EXTERNAL).
    private func authenticate(by deadline: Deadline) throws(DeviceError) {
        let user = String(geteuid()).utf8.map { "3" + String($0 & 0x0F) }.joined()
        try stream.write(Array("\0AUTH EXTERNAL \(user)\r\n".utf8), by: deadline)
        var line: [UInt8] = []
        while !line.ends(with: [0x0D, 0x0A]) {
            guard line.count < Self.longestLine else { throw .malformed(.dbusAuthentication, .invalid) }
            line += try stream.read(atMost: 1, by: deadline)
        }
        guard line.starts(with: Array("OK ".utf8)) else { throw .bluetoothUnavailable(.accessDenied) }
        try stream.write(Array("BEGIN\r\n".utf8), by: deadline)
    }

    /// Sends a message and returns its serial number.
    @discardableResult
    func send(_ message: DBusMessage, by deadline: Deadline) throws(DeviceError) -> UInt32 {
        serial = serial == .max ? 1 : serial + 1
        var message = message
        message.serial = serial
        try stream.write(message.encoded(), by: deadline)
        return serial
    }

    /// Sends a call and waits for its answer.
    ///
    /// - Parameter meanwhile: Receives the signals that arrive before the answer.
    func call(_ message: DBusMessage, by deadline: Deadline, meanwhile: (DBusMessage) -> Void) throws(DeviceError)
        -> Answer
    {
        let serial = try send(message, by: deadline)
        while true {
            guard !deadline.hasPassed, let message = try next(by: deadline) else { throw .timedOut }
            switch message.kind {
            case .answer where message.answers == serial: return .returned(message.body)
            case .failure where message.answers == serial: return .failed(message.failure ?? "")
            case .signal: meanwhile(message)
            default: break
            }
        }
    }

    /// The next message; nil if no message arrives before the deadline.
    func next(by deadline: Deadline) throws(DeviceError) -> DBusMessage? {
        while true {
            if let length = try DBusMessage.length(beginning: received), received.count >= length {
                let bytes = Array(received.prefix(length))
                received.removeFirst(length)
                guard let message = DBusMessage(bytes) else { throw .malformed(.dbusMessage, .invalid) }
                return message
            }
            do throws(DeviceError) {
                received += try stream.read(atMost: 65536, by: deadline)
            } catch .timedOut {
                return nil
            } catch {
                throw error
            }
        }
    }
}

extension [UInt8] {
    fileprivate func ends(with bytes: [UInt8]) -> Bool { count >= bytes.count && Array(suffix(bytes.count)) == bytes }
}
