package import CardCapture
package import DeviceIO

/// An open stripe reader with the protocol of its family, for the thread of its device. Waits end
/// at their deadlines, or by the event that the transport was opened with.
package protocol SwipeSource: AnyObject, SendableMetatype {
    /// Makes the reader ready for a swipe, and discards earlier input.
    func prepare() throws(DeviceError)

    /// Checks once that the open device is such a reader, if ``prepare()`` does not.
    ///
    /// - Throws: ``DeviceError/malformed(_:_:)`` if it is another device.
    func identify() throws(DeviceError)

    /// Waits for the next swipe, however long it takes.
    func nextSwipe() throws(DeviceError) -> CapturedSwipe

    /// Returns the reader to idle after a wait that was cancelled or failed. The cancellation of
    /// the wait has been cleared before this is called.
    func standDown() throws(DeviceError)
}

extension SwipeSource {
    package func identify() throws(DeviceError) {}
    package func standDown() throws(DeviceError) {}
}

extension ReportTransport {
    /// Discards the reports that have already arrived. It gives up after a while if the device
    /// never stops sending.
    func discardReports() throws(DeviceError) {
        for _ in 0..<256 {
            do throws(DeviceError) {
                _ = try read(by: .after(.zero))
            } catch .timedOut {
                return
            } catch {
                throw error
            }
        }
    }
}
