import CardCapture
import DeviceIO

/// A driver that opens its device at its first use, and before, if it is asked to.
protocol OpeningDriver: Sendable {
    /// Opens the device, and asks it who it is where its protocol has a question for that. A reader
    /// that only sends, such as a keyboard wedge, is open then, and not known to be one.
    ///
    /// - Throws: ``DeviceIO/DeviceError/notFound(_:)``,
    ///   ``DeviceIO/DeviceError/accessDenied(_:)`` or ``DeviceIO/DeviceError/busy(_:holder:)`` if
    ///   it cannot be opened, ``DeviceIO/DeviceError/timedOut`` if it does not answer,
    ///   ``DeviceIO/DeviceError/malformed(_:_:)`` if it answers as another device does. The driver
    ///   is of no more use then.
    func openDevice() async throws(DeviceError)
}

extension OpeningDriver {
    /// The driver, once its device is open.
    func ready() async throws(DeviceError) -> Self {
        try await openDevice()
        return self
    }
}
