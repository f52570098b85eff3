internal import DeviceIO

/// The connection to a reader: one command, one answer, for every slot.
protocol CCIDLink: AnyObject {
    var transport: any USBTransport { get }
    var descriptor: CCIDDescriptor { get }

    /// Sends `command` and waits for its answer: for `timeout`, extended each time that the reader
    /// reports that the card needs more time, but never past `limit`.
    ///
    /// Afterwards, even after a failure, the reader is ready for the next command.
    func exchange(_ command: CCIDCommand, slot: Int, timeout: Duration, limit: Deadline) throws(DeviceError)
        -> CCIDAnswer

    /// The slot notifications since the last call, including those received during an exchange.
    func takeNotifications() throws(DeviceError) -> [CCIDNotification]
}

extension CCIDLink {
    func takeNotifications() throws(DeviceError) -> [CCIDNotification] {
        var notifications: [CCIDNotification] = []
        while let bytes = try transport.heard() {
            if let notification = CCIDNotification(bytes, slotCount: descriptor.slotCount) {
                notifications.append(notification)
            }
        }
        return notifications
    }

    func exchange(_ command: CCIDCommand, slot: Int, timeout: Duration) throws(DeviceError) -> CCIDAnswer {
        try exchange(command, slot: slot, timeout: timeout, limit: .after(Self.longestExchange))
    }

    /// The maximum time of a card for a command, however often it requests more time.
    static var longestExchange: Duration { .seconds(120) }
}

/// A link that knows whether its reader has gone.
final class WatchedLink: CCIDLink {
    private let link: any CCIDLink
    private(set) var isGone = false

    init(_ link: any CCIDLink) { self.link = link }

    var transport: any USBTransport { link.transport }
    var descriptor: CCIDDescriptor { link.descriptor }

    func exchange(_ command: CCIDCommand, slot: Int, timeout: Duration, limit: Deadline) throws(DeviceError)
        -> CCIDAnswer
    {
        do throws(DeviceError) {
            return try link.exchange(command, slot: slot, timeout: timeout, limit: limit)
        } catch {
            if error == .disconnected { isGone = true }
            throw error
        }
    }

    func takeNotifications() throws(DeviceError) -> [CCIDNotification] { try link.takeNotifications() }
}
