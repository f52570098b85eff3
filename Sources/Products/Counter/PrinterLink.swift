import DeviceIO
import Peripherals
import Printing

/// The connection of one job: does what the job says, and says how it ended.
struct PrinterLink {
    private let address: PrinterAddress
    private let cancel: WakeEvent
    private var transport: (any ByteTransport)?
    /// The first failure.
    private(set) var failure: DeviceError?

    init(_ address: PrinterAddress, cancel: WakeEvent) {
        self.address = address
        self.cancel = cancel
    }

    mutating func perform(_ action: PrintJob.Action) -> PrintJob.Input {
        do throws(DeviceError) {
            switch action {
            case .connect(let limit):
                transport = try address.open(by: .after(limit), cancel: cancel)
                return .done
            case .write(let bytes, let limit):
                guard let transport else { throw .disconnected }
                try transport.write(bytes, by: .after(limit))
                return .done
            case .read(let limit): return try read(limit)
            case .finish: return .done
            }
        } catch {
            failure = failure ?? error
            return .failed(PrintError(error))
        }
    }

    private func read(_ limit: Duration) throws(DeviceError) -> PrintJob.Input {
        guard let transport else { throw .disconnected }
        do throws(DeviceError) {
            return .received(try transport.read(atMost: 4096, by: .after(limit)))
        } catch .timedOut {
            return .silence
        } catch {
            throw error
        }
    }

    /// Bytes that nobody has read would make the system break the connection instead of closing
    /// it, and the printer could lose the end of the slip.
    mutating func close() {
        if failure == nil { try? transport?.drain() }
        transport = nil
    }
}

extension PrintError {
    /// What a failure of the connection means for a slip.
    init(_ error: DeviceError) {
        self =
            switch error {
            case .timedOut: .timedOut
            case .disconnected, .cancelled, .stalled: .connectionLost
            case .rejected(.lowBattery): .lowBattery
            case .rejected, .system: .initialization
            case .malformed: .unsupported
            case .notFound, .accessDenied, .busy, .asleep, .pairedElsewhere, .bluetoothUnavailable, .notOffered,
                .channelNotOffered, .notListening:
                .notConnected
            }
    }
}
