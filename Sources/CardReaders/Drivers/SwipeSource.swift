package import CardCapture
package import DeviceIO

/// An open stripe reader, as its family's protocol has it: for one thread, the device's. Waits end at their deadlines and by the event that the
/// transport was opened with.
package protocol SwipeSource: AnyObject, SendableMetatype {
    /// Brings the reader to where a swipe can come, and throws away what came before.
    func prepare() throws(DeviceError)

    /// Waits for the next swipe, however long it takes.
    func nextSwipe() throws(DeviceError) -> CapturedSwipe

    /// Brings the reader back to rest after a wait that was cancelled or failed. The wait's cancellation is over when this is called.
    func standDown() throws(DeviceError)
}

extension SwipeSource {
    package func standDown() throws(DeviceError) {}
}

extension ReportTransport {
    /// Throws away the reports that have come already. A device that never stops sending is let be after a while.
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
