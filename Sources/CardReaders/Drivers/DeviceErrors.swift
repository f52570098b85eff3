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
