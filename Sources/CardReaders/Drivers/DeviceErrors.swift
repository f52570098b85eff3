package import CardCapture
public import DeviceIO
public import SmartCard

extension DeviceError: DriverError {}

extension CaptureError {
    /// What a device's failure means to whoever captures a card.
    package init(_ error: DeviceError) {
        switch error {
        case .cancelled: self = .cancelled
        default: self = .readerFailed(.driver(error))
        }
    }
}

extension CardChannelError {
    /// What a device's failure means in the middle of an exchange with a card.
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
