package import CardCapture
public import DeviceIO
public import SmartCard

extension DeviceError: DriverError {}

extension CaptureError {
    /// The error of a card capture after a failure of the device.
    package init(_ error: DeviceError) {
        switch error {
        case .cancelled: self = .cancelled
        default: self = .readerFailed(.driver(error))
        }
    }
}

extension CardChannelError {
    /// The error of an exchange with a card after a failure of the device.
    package init(_ error: DeviceError) {
        switch error {
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        default: self = .readerFailed(.driver(error))
        }
    }
}

extension ReaderEvent.DisconnectReason {
    package init(_ error: DeviceError) {
        switch error {
        case .disconnected, .notFound: self = .unplugged
        case .timedOut, .asleep: self = .silent
        default: self = .failed(.driver(error))
        }
    }
}

extension ReaderEvents {
    /// Runs `open`, which opens the device. If it fails, the reader is reported as disconnected,
    /// even one that was never connected: a terminal takes it for connected from the start.
    ///
    /// - Parameter isReconnecting: Whether the reader was reported as reconnecting. Then a caller
    ///   that gives up does not leave it so.
    func reportingFailure<Opened>(
        isReconnecting: Bool = false, of open: () throws(DeviceError) -> Opened
    ) throws(DeviceError) -> Opened {
        do throws(DeviceError) {
            return try open()
        } catch .cancelled {
            if isReconnecting { send(.disconnected(.silent)) }
            throw .cancelled
        } catch {
            send(.disconnected(ReaderEvent.DisconnectReason(error)))
            throw error
        }
    }
}
