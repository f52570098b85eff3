internal import DeviceIO

extension Deadline {
    /// Call it before each further read: reads from a device that never stops sending do not time
    /// out by themselves.
    ///
    /// - Throws: ``DeviceError/timedOut``.
    func check() throws(DeviceError) {
        if hasPassed { throw .timedOut }
    }
}
