internal import DeviceIO

/// The way to a reader: one command, one answer, for every slot.
protocol CCIDLink: AnyObject {
    var transport: any USBTransport { get }
    var descriptor: CCIDDescriptor { get }

    /// Sends `command` and waits for its answer: as long as `patience`, and longer each time that the reader says the card needs it, but never past `limit`.
    ///
    /// However it ends, the reader is ready for the next command.
    func exchange(_ command: CCIDCommand, slot: Int, patience: Duration, limit: Deadline) throws(DeviceError) -> CCIDAnswer

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

    func exchange(_ command: CCIDCommand, slot: Int, patience: Duration) throws(DeviceError) -> CCIDAnswer {
        try exchange(command, slot: slot, patience: patience, limit: .after(Self.longestExchange))
    }

    /// The most that a card may take for a command, however often it asks for more time.
    static var longestExchange: Duration { .seconds(120) }
}
