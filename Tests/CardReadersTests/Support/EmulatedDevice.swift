import Bytes
import DeviceIO
import Glibc
import Synchronization

/// The far end of a socket pair: what a device does is what the test says. For streams (a serial
/// line) or for packets (reports).
final class EmulatedDevice: Sendable {
    enum Kind {
        case stream
        case packets
    }

    private let descriptor: Mutex<CInt>
    /// The end that the driver gets.
    let driverEnd: CInt
    private let waits = AsyncStream<Void>.makeStream()

    init(_ kind: Kind) throws(DeviceError) {
        var ends: [CInt] = [-1, -1]
        let type = kind == .stream ? SOCK_STREAM : SOCK_SEQPACKET
        guard unsafe socketpair(AF_UNIX, CInt(type.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .system(call: "socketpair", code: errno)
        }
        descriptor = Mutex(ends[0])
        driverEnd = ends[1]
    }

    deinit {
        descriptor.withLock { _ = Glibc.close($0) }
        Glibc.close(driverEnd)
    }

    /// Returns when the driver has begun to wait without limit: what was there before it has thrown
    /// away.
    func awaitDriver() async {
        for await _ in waits.stream { return }
    }

    /// To be called by the driver's transport.
    func noteWait(by deadline: Deadline) { if deadline == .never { waits.continuation.yield() } }

    func send(_ bytes: [UInt8]) {
        descriptor.withLock { _ = unsafe Glibc.send($0, bytes, bytes.count, CInt(MSG_NOSIGNAL)) }
    }

    /// What the driver sent next: a packet, or what a stream has; nil once the driver has let go.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let end = descriptor.withLock { $0 }
        let count = unsafe recv(end, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// The driver finds the device gone. The descriptor stays until nobody can use it any more.
    func unplug() { descriptor.withLock { _ = shutdown($0, CInt(SHUT_RDWR)) } }

    /// Answers what the driver sends on a thread of its own until the driver lets go or `answer`
    /// says nil.
    func serve(_ answer: @escaping @Sendable ([UInt8]) -> [[UInt8]]?) {
        let start = unsafe Unmanaged.passRetained(Service(device: self, answer: answer))
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let service = unsafe Unmanaged<Service>.fromOpaque(context).takeRetainedValue()
                while let bytes = service.device.receive(), let answers = service.answer(bytes) {
                    for answer in answers { service.device.send(answer) }
                }
                return nil
            }, start.toOpaque())
        guard status == 0 else {
            unsafe start.release()
            return
        }
        pthread_detach(thread)
    }

    private final class Service {
        let device: EmulatedDevice
        let answer: @Sendable ([UInt8]) -> [[UInt8]]?

        init(device: EmulatedDevice, answer: @escaping @Sendable ([UInt8]) -> [[UInt8]]?) {
            self.device = device
            self.answer = answer
        }
    }
}

/// Reports over the driver's end of an emulated device. Feature reports, which the kernel carries
/// by themselves, go to `features`.
final class EmulatedReports: ReportTransport {
    let name = "emulated reader"
    let reports: HIDReportDescriptor
    private let device: EmulatedDevice
    private let stream: DescriptorStream
    private let features: @Sendable (EmulatedFeature) throws(DeviceError) -> [UInt8]

    init(
        _ device: EmulatedDevice, _ cancel: WakeEvent?, reports: HIDReportDescriptor,
        features: @escaping @Sendable (EmulatedFeature) throws(DeviceError) -> [UInt8] = { _ throws(DeviceError) in
            throw .stalled
        }
    ) {
        self.device = device
        stream = DescriptorStream(dup(device.driverEnd), name: "emulated reader", cancel: cancel)
        self.reports = reports
        self.features = features
    }

    var readiness: CInt { stream.readiness }

    func read(by deadline: Deadline) throws(DeviceError) -> HIDReport {
        device.noteWait(by: deadline)
        var bytes = try stream.read(atMost: 8192, by: deadline)
        defer { wipe(&bytes) }
        return reports.isNumbered ? HIDReport(number: bytes[0], bytes.dropFirst()) : HIDReport(bytes)
    }

    func write(_ report: HIDReport, by deadline: Deadline) throws(DeviceError) {
        try stream.write(reports.isNumbered ? [report.number] + report.revealed() : report.revealed(), by: deadline)
    }

    func feature(_ number: UInt8) throws(DeviceError) -> HIDReport { HIDReport(number: number, try features(.get)) }
    func setFeature(_ report: HIDReport) throws(DeviceError) { _ = try features(.set(report.revealed())) }
}

/// The driver's end of an emulated serial line.
final class EmulatedLine: ByteTransport {
    let name = "emulated reader"
    private let device: EmulatedDevice
    private let stream: DescriptorStream

    init(_ device: EmulatedDevice, _ cancel: WakeEvent?) {
        self.device = device
        stream = DescriptorStream(dup(device.driverEnd), name: "emulated reader", cancel: cancel)
    }

    var readiness: CInt { stream.readiness }
    func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) { try stream.write(bytes, by: deadline) }

    func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        device.noteWait(by: deadline)
        return try stream.read(atMost: count, by: deadline)
    }
}

enum EmulatedFeature: Sendable {
    case set([UInt8])
    case get
}

/// Devices that are plugged in one after the other.
final class EmulatedBus: Sendable {
    private let devices: Mutex<[EmulatedDevice]>
    init(_ devices: [EmulatedDevice]) { self.devices = Mutex(devices) }

    func next() throws(DeviceError) -> EmulatedDevice {
        guard let device = devices.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            throw .notFound("emulated reader")
        }
        return device
    }
}

/// Sends `parts` once the driver waits for them.
func sending<Result: Sendable>(
    _ parts: [UInt8]..., from device: EmulatedDevice, _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let task = Task { try await operation() }
    await device.awaitDriver()
    for part in parts { device.send(part) }
    return try await task.value
}
