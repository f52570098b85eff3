internal import DeviceIO

extension Deadline {
    /// To be asked before each further read: a device that never stops sending is always ready, and its reads never time out by themselves.
    ///
    /// - Throws: ``DeviceError/timedOut``.
    func check() throws(DeviceError) {
        if hasPassed { throw .timedOut }
    }
}
