internal import DeviceIO

/// The way to a reader: one command, one answer, for every slot.
protocol CCIDLink: AnyObject {
    var transport: any USBTransport { get }
    var descriptor: CCIDDescriptor { get }

    /// Sends `command` and waits for its answer: as long as `timeout`, and longer each time that the reader says the card needs it, but never past `limit`.
    ///
    /// However it ends, the reader is ready for the next command.
    func exchange(_ command: CCIDCommand, slot: Int, timeout: Duration, limit: Deadline) throws(DeviceError) -> CCIDAnswer

    /// What the reader told of its slots by itself since the last call, those notifications that came during an exchange among them.
    func takeNotifications() throws(DeviceError) -> [CCIDNotification]
}

extension CCIDLink {
    func takeNotifications() throws(DeviceError) -> [CCIDNotification] {
        var notifications: [CCIDNotification] = []
        while let bytes = try transport.heard() {
            if let notification = CCIDNotification(bytes, slotCount: descriptor.slotCount) { notifications.append(notification) }
        }
        return notifications
    }

    func exchange(_ command: CCIDCommand, slot: Int, timeout: Duration) throws(DeviceError) -> CCIDAnswer {
        try exchange(command, slot: slot, timeout: timeout, limit: .after(Self.longestExchange))
    }

    /// The most that a card may take for a command, however often it asks for more time.
    static var longestExchange: Duration { .seconds(120) }
}

/// A link that knows whether its reader has gone.
final class WatchedLink: CCIDLink {
    private let link: any CCIDLink
    private(set) var isGone = false

    init(_ link: any CCIDLink) { self.link = link }

    var transport: any USBTransport { link.transport }
    var descriptor: CCIDDescriptor { link.descriptor }

    func exchange(_ command: CCIDCommand, slot: Int, timeout: Duration, limit: Deadline) throws(DeviceError) -> CCIDAnswer {
        do throws(DeviceError) {
            return try link.exchange(command, slot: slot, timeout: timeout, limit: limit)
        } catch {
            if error == .disconnected { isGone = true }
            throw error
        }
    }

    func takeNotifications() throws(DeviceError) -> [CCIDNotification] { try link.takeNotifications() }
}
