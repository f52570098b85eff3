import DeviceIO

/// An open scanner, for the thread that reads it.
protocol ScanSource: AnyObject {
    /// Waits for what comes next.
    func next() throws(DeviceError) -> [ScannerEvent]
}

extension ScannerAddress {
    func open(_ format: ScanFormat, cancel: WakeEvent) throws(DeviceError) -> any ScanSource {
        switch self {
        case .keyboard(let path, let layout):
            KeySource(try InputDevice(path: path, cancel: cancel), KeyedScan(format, layout: layout))
        case .hid(let path): try ReportSource(try HIDDevice(path: path, cancel: cancel), format)
        case .serial(let path, let rate):
            ByteSource(try SerialPort(path: path, line: SerialLine(rate: rate), cancel: cancel), SerialScan(format))
        }
    }
}

/// When a wait for more of a scan ends.
private func limit(_ silence: Duration?) -> Deadline { silence.map { .after($0) } ?? .never }

final class KeySource: ScanSource {
    private let transport: any KeyTransport
    private var scan: KeyedScan

    init(_ transport: any KeyTransport, _ scan: KeyedScan) {
        self.transport = transport
        self.scan = scan
    }

    func next() throws(DeviceError) -> [ScannerEvent] {
        do throws(DeviceError) {
            return [scan.take(try transport.next(by: limit(scan.silence)))].compactMap(\.self)
        } catch .timedOut {
            return [scan.fallSilent()].compactMap(\.self)
        } catch {
            throw error
        }
    }
}

final class ReportSource: ScanSource {
    private let transport: any ReportTransport
    private var scan: HIDScan

    /// - Throws: `malformed` for a device that is no such scanner.
    init(_ transport: any ReportTransport, _ format: ScanFormat) throws(DeviceError) {
        guard let scan = HIDScan(transport.reports, format) else { throw .malformed(.scannerReports, .missing) }
        self.transport = transport
        self.scan = scan
    }

    func next() throws(DeviceError) -> [ScannerEvent] {
        do throws(DeviceError) {
            return [scan.take(try transport.read(by: limit(scan.silence)))].compactMap(\.self)
        } catch .timedOut {
            return [scan.fallSilent()].compactMap(\.self)
        } catch {
            throw error
        }
    }
}

final class ByteSource: ScanSource {
    private let transport: any ByteTransport
    private var scan: SerialScan

    init(_ transport: any ByteTransport, _ scan: SerialScan) {
        self.transport = transport
        self.scan = scan
    }

    func next() throws(DeviceError) -> [ScannerEvent] {
        do throws(DeviceError) {
            return scan.take(try transport.read(atMost: 4096, by: limit(scan.silence)))
        } catch .timedOut {
            return [scan.fallSilent()].compactMap(\.self)
        } catch {
            throw error
        }
    }
}

extension DeviceError.Message {
    fileprivate static let scannerReports = Self("report with decoded data of a scanner (page 8C)")
}
