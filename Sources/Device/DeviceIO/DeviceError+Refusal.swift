extension DeviceError {
    /// Why a device or its driver refuses an operation.
    public enum Refusal: Hashable, Sendable {
        case commandNotSupported
        /// The device does not support the command, the property or its value.
        case propertyNotSupported
        case invalidParameter
        case invalidAmount
        case invalidCurrency
        /// The command arrived damaged.
        case damagedCommand
        /// The device refused the same command this many times, as damaged.
        case repeatedly(Int)
        case commandFailed
        case notAllowedNow
        /// A status code of the device, in hexadecimal or decimal as in its manual.
        case status(String)
        /// The data of a command are too long; `maximum` in bytes.
        case dataTooLong(maximum: Int)
        case messageTooLong
        case transactionInProgress
        case noTransaction
        /// The transaction has gone too far to be cancelled.
        case tooLateToCancel
        case lowBattery
        case clockNotSet
        /// The device has no keys, or was tampered with.
        case outOfService

        /// The reader has no key, or does not encrypt.
        case noKey
        case keysExhausted
        case keyManagementNotDUKPT
        /// The reader encrypts its tracks, and types masked ones with data that are not understood.
        case encryptionFormatNotSupported
        /// The command needs authentication at the reader's security level.
        case notAuthenticated
        /// The reader reads no cards before an authentication.
        case securityLevel4
        /// The reader delays commands after a failed authentication.
        case authenticationDelay
        case keyboardMode

        case readOnly
        /// The number of the track, from 1, with a character that cannot be written.
        case trackNotWritable(Int)
        /// In codes.
        case trackTooLong(Int)
        case coercivityNotSupported
        case stripeNotWritten

        /// In bits per second.
        case serialRate(UInt32)
        case monitorStopped
        case monitorNotStarted
    }
}

extension DeviceError.Refusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .commandNotSupported: "the reader does not support the command"
        case .propertyNotSupported: "the reader does not support the command, the property or its value"
        case .invalidParameter: "the reader rejects the command's data"
        case .invalidAmount: "the reader rejects the amount"
        case .invalidCurrency: "the reader rejects the currency"
        case .damagedCommand: "the reader received a damaged command: try again"
        case .repeatedly(let times): "the reader refused the command \(times) times: check its cable"
        case .commandFailed: "the reader failed to execute the command"
        case .notAllowedNow:
            "the reader does not allow the command now: cancel its current operation, or check that its keys are loaded"
        case .status(let code): "the reader refused the command, status \(code)"
        case .dataTooLong(let maximum): "the command's data are too long for the reader, which takes \(maximum) bytes"
        case .messageTooLong: "the message is too long for the device"
        case .transactionInProgress: "another transaction is in progress: cancel it"
        case .noTransaction: "no transaction is in progress"
        case .tooLateToCancel: "the transaction can no longer be cancelled"
        case .lowBattery: "the battery of the device is low: charge it"
        case .clockNotSet: "the reader's clock is not set: set it with the manufacturer's tools"
        case .outOfService: "the device is out of service: it has no keys, or was tampered with"
        case .noKey: "the reader has no key or does not encrypt: load a key and set security level 3"
        case .keysExhausted: "the reader's DUKPT keys are exhausted: load a new key"
        case .keyManagementNotDUKPT: "the reader's key management is not DUKPT: set it to DUKPT"
        case .encryptionFormatNotSupported:
            "the reader encrypts its tracks in a format that is not supported: set it to its maker's default format, or to HID in place of a keyboard"
        case .notAuthenticated: "the reader requires an authenticated command at its security level"
        case .securityLevel4:
            "the reader is at security level 4 and requires authentication: set it to level 3 or lower"
        case .authenticationDelay: "the reader delays commands after a failed authentication: try again later"
        case .keyboardMode:
            "the reader is in keyboard mode: switch its interface property to HID, or read it as a keyboard wedge"
        case .readOnly: "the reader is open for reading only: set allowsWriting in its options"
        case .trackNotWritable(let track): "the text of track \(track) cannot be written"
        case .trackTooLong(let count): "a track of \(count) codes is too long to write"
        case .coercivityNotSupported: "the reader does not support the card's coercivity"
        case .stripeNotWritten: "the stripe was not written: swipe the card again at an even speed"
        case .serialRate(let rate): "the serial port does not support \(rate) bits per second"
        case .monitorStopped: "a stopped device monitor cannot start again: create another"
        case .monitorNotStarted: "the device monitor is not started: start it before scanning"
        }
    }
}
