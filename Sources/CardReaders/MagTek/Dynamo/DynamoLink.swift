package import DeviceIO

/// Commands to a Dynamo in feature reports, and what it tells in input report 2. For one thread, its device's.
package final class DynamoLink {
    private let transport: any ReportTransport
    private let commands: MagneSafe
    private var assembler = ExtendedNotification.Assembler()
    /// The device has been told what the issuer says.
    var wasAnswered = false
    /// Why the stripe may be tried, as far as the device has told.
    var cause: DeviceOutcome.Cause?

    /// - Parameter cancel: What the transport was opened with.
    package init(_ transport: any ReportTransport, cancel: WakeEvent) {
        self.transport = transport
        commands = MagneSafe(transport, cancel: cancel)
    }

    /// - Throws: ``DeviceError/rejected(_:)`` if the device does not carry it out.
    package func perform(_ command: ExtendedCommand) throws(DeviceError) { _ = try commands.perform(command) }

    /// The next notification. Swipes, which come in report 1, are passed over.
    package func notification(by deadline: Deadline) throws(DeviceError) -> DynamoNotification {
        while true {
            try deadline.check()
            let report = try transport.read(by: deadline)
            guard report.number == ExtendedNotification.report else { continue }
            let whole = try report.withBytes { bytes throws(DeviceError) in try assembler.take(bytes) }
            if let whole { return try DynamoNotification(whole) }
        }
    }

    /// Throws away what the device has told of earlier transactions.
    package func discard() throws(DeviceError) {
        assembler = ExtendedNotification.Assembler()
        try transport.discardReports()
    }

    /// Ends the transaction under way; there may be none any more.
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
