package import CardCapture
package import DeviceIO

/// A MagTek reader of the MagneSafe V5 family over USB HID: Dynamag and similar models (D99875475).
///
/// The data depend on its security level: at level 2 tracks in the clear, at level 3 tracks
/// encrypted under DUKPT keys, with masked copies, at level 4 the same, but only after
/// authentication.
package final class MagneSafe: SwipeSource {
    /// In keyboard mode a reader has another product id. It still accepts commands, so that it can
    /// be switched.
    package static let models = [
        ReaderModel(.hid, vendor: 0x0801, product: 0x0011, name: "MagTek Dynamag"),
        ReaderModel(.hid, vendor: 0x0801, product: 0x0013, name: "MagTek MagneSafe insert reader"),
        ReaderModel(.hid, vendor: 0x0801, product: 0x0014, name: "MagTek MagneSafe wireless reader"),
        ReaderModel(.hid, vendor: 0x0801, product: 0x0001, name: "MagTek reader in keyboard mode"),
    ]
    package static let capabilities: ReaderCapabilities = .magneticStripe

    package enum SecurityLevel: UInt8, Sendable {
        case clear = 2
        case enciphered = 3
        case authenticated = 4
    }

    private let transport: any ReportTransport
    private let cancel: WakeEvent
    private let keyUse: EncryptedTracks.KeyUse

    /// The time that the reader needs between a command and the request for its answer.
    private static let pause = Duration.milliseconds(5)

    /// - Parameters:
    ///   - cancel: The event that the transport was opened with.
    ///   - keyUse: The key variant that the reader encrypts with.
    package init(_ transport: any ReportTransport, cancel: WakeEvent, keyUse: EncryptedTracks.KeyUse = .pinVariant) {
        self.transport = transport
        self.cancel = cancel
        self.keyUse = keyUse
    }

    package func prepare() throws(DeviceError) { try transport.discardReports() }

    /// Asks for the software's number. A reader that refuses has answered as one.
    package func identify() throws(DeviceError) {
        guard !isKeyboard else { throw .rejected(.keyboardMode) }
        do throws(DeviceError) { _ = try property(.softwareID) } catch .rejected {} catch { throw error }
    }

    package func nextSwipe() throws(DeviceError) -> CapturedSwipe {
        guard !isKeyboard else {
            throw .rejected(.keyboardMode)
        }
        var sent = try transport.read(by: .never)
        // Skips notifications about transactions of a reader with a chip reader.
        while sent.number == ExtendedNotification.report { sent = try transport.read(by: .never) }
        let report = try sent.withBytes { bytes throws(DeviceError) in
            try MagneSafeReport(parsing: bytes, keyUse: keyUse)
        }
        if let encrypted = report.encrypted, encrypted.isEmpty {
            if report.status.contains(.keysExhausted) || report.status.contains(.counterExpired) {
                throw .rejected(.keysExhausted)
            }
            if report.status.contains(.wantsAuthentication) || report.status.contains(.authenticationTimedOut) {
                throw .rejected(.securityLevel4)
            }
        }
        return CapturedSwipe(tracks: report.tracks, encrypted: report.encrypted.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Whether the reader types its tracks.
    package var isKeyboard: Bool { transport.reports.collections.contains(0x0001_0006) }

    /// Executes a command and returns its data.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` for every result except success.
    package func perform(_ command: MagneSafeCommand) throws(DeviceError) -> [UInt8] {
        try answer(to: command).successful()
    }

    /// Executes an extended command of a reader with a chip reader, and returns its data.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` for every result except success.
    package func perform(_ command: ExtendedCommand) throws(DeviceError) -> [UInt8] {
        var response = ExtendedResponse()
        let packets = try command.packets(payload: transport.reports.length(.feature, report: commandReport) - 2)
        for packet in packets.dropLast() {
            let answer = try answer(to: packet)
            guard answer.result == .extendedPending else {
                _ = try answer.successful()
                throw .malformed(.extendedAnswer, .truncated)
            }
        }
        guard var next = packets.last else { return [] }
        repeat {
            let answer = try answer(to: next)
            guard answer.result == .extendedResponse else { return try answer.successful() }
            try response.add(answer.data)
            next = ExtendedCommand.more
        } while !response.isWhole
        guard response.resultCode == 0 else { throw .rejected(response.refusal) }
        return response.data
    }

    /// The feature report for commands: readers with several input reports number all their
    /// reports.
    private var commandReport: UInt8 { transport.reports.numbers(.feature).first ?? 0 }

    private func encoded(_ command: MagneSafeCommand) throws(DeviceError) -> HIDReport {
        HIDReport(
            number: commandReport,
            try command.encoded(length: transport.reports.length(.feature, report: commandReport)))
    }

    private func answer(to command: MagneSafeCommand) throws(DeviceError) -> MagneSafeResponse {
        try transport.setFeature(encoded(command))
        try cancel.wait(until: .after(Self.pause))
        return try MagneSafeResponse(parsing: transport.feature(commandReport).revealed())
    }

    package func property(_ property: MagneSafeProperty) throws(DeviceError) -> [UInt8] {
        try perform(.property(property))
    }

    package func securityLevel() throws(DeviceError) -> SecurityLevel {
        guard let level = try perform(.securityLevel).first.flatMap({ SecurityLevel(rawValue: $0) }) else {
            throw .malformed(.magneSafeSecurityLevel, .invalid)
        }
        return level
    }

    /// The key serial number of the next swipe, 10 bytes.
    package func keySerialNumber() throws(DeviceError) -> [UInt8] {
        let data = try perform(.keySerialNumber)
        guard data.count >= 10 else { throw .malformed(.magneSafeKeySerialNumber, .tooShort(data.count)) }
        return Array(data.prefix(10))
    }

    /// Switches a reader that types its tracks to reports. It reconnects to the bus as another
    /// product.
    package func leaveKeyboardMode() throws(DeviceError) {
        _ = try perform(.setProperty(.interface, [0x00]))
        try transport.setFeature(encoded(.reset))
    }
}

package typealias MagneSafeReader = MagstripeDriver<MagneSafe>

extension MagstripeDriver where Source == MagneSafe {
    /// - Parameters:
    ///   - path: Such as `/dev/hidraw0`.
    ///   - keyUse: The key variant that the reader encrypts with.
    package init(path: String, name: String = "MagTek MagneSafe", keyUse: EncryptedTracks.KeyUse = .pinVariant)
        throws(DeviceError)
    {
        try self.init(name: name, capabilities: MagneSafe.capabilities) { cancel throws(DeviceError) in
            MagneSafe(try HIDDevice(path: path, cancel: cancel), cancel: cancel, keyUse: keyUse)
        }
    }
}
