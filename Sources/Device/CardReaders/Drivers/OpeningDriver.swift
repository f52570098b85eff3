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

/// A driver of a reader on a line, whose session asks the reader who it is when it opens.
protocol LineDriver: Actor, OpeningDriver {
    associatedtype Link: LineLink
    nonisolated var name: String { get }
    nonisolated var claim: DeviceClaim { get }
    var line: LineSession<Link> { get }
}

extension LineDriver {
    nonisolated func openDevice() async throws(DeviceError) {
        try await claim.perform(orElse: .busy(name, holder: nil)) { cancellation async throws(DeviceError) in
            try await self.openLine(cancellation)
        }
    }

    private func openLine(_ cancellation: Cancellation) throws(DeviceError) {
        try line.attempt(cancellation) { _ throws(DeviceError) in }
    }
}
