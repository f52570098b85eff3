import CardCapture
package import DeviceIO

/// Sends commands to a Dynamo in feature reports, and receives its notifications in input report 2.
/// For the thread of its device only.
package final class DynamoLink {
    private let transport: any ReportTransport
    private let commands: MagneSafe
    /// Whether it has a field, and transactions are started for cards in it, too.
    let hasField: Bool
    private var assembler = ExtendedNotification.Assembler()
    /// Where the card of this transaction is, as far as the device has reported it.
    var interface: ReaderEvent.CardInterface?
    /// Whether the device has received the issuer's answer.
    var wasAnswered = false
    /// Why the card failed, as far as the device has reported it.
    var cause: DeviceOutcome.Cause?

    /// - Parameter cancel: The event that the transport was opened with.
    package init(_ transport: any ReportTransport, cancel: WakeEvent, hasField: Bool = false) {
        self.transport = transport
        self.hasField = hasField
        commands = MagneSafe(transport, cancel: cancel)
    }

    /// - Throws: ``DeviceError/rejected(_:)`` if the device refuses it.
    package func perform(_ command: ExtendedCommand) throws(DeviceError) { _ = try commands.perform(command) }

    package func identify() throws(DeviceError) { try commands.identify() }

    /// The next notification. Swipes, which come in report 1, are skipped.
    package func notification(by deadline: Deadline) throws(DeviceError) -> DynamoNotification {
        while true {
            try deadline.check()
            let report = try transport.read(by: deadline)
            guard report.number == ExtendedNotification.report else { continue }
            let whole = try report.withBytes { bytes throws(DeviceError) in try assembler.take(bytes) }
            if let whole { return try DynamoNotification(whole) }
        }
    }

    /// Discards notifications about earlier transactions.
    package func discard() throws(DeviceError) {
        assembler = ExtendedNotification.Assembler()
        try transport.discardReports()
    }

    /// Cancels the transaction in progress, if there still is one.
    package func cancelTransaction() throws(DeviceError) {
        do throws(DeviceError) {
            try perform(ExtendedCommand(ExtendedCommand.cancelTransaction))
        } catch .rejected {
            return
        } catch {
            throw error
        }
    }
}
