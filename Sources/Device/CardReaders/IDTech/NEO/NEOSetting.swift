package import CardCapture
import DeviceIO

/// A command that changes the configuration of a NEO reader's own kernels (NEO 2 interface
/// developer's guide 80139403-002, "Configuration", "Configurable AID and Group Commands" and "CA
/// Public Key Management").
package struct NEOSetting: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case setConfiguration = "04-00"
        case setAID = "04-02"
        case setGroup = "04-03"
        case deleteAID = "04-04"
        case deleteGroup = "04-05"
        case setCAPublicKey = "D0-03"
        case deleteCAPublicKey = "D0-04"
        case deleteCAPublicKeys = "D0-05"
    }

    package let kind: Kind
    /// Up to 1500 bytes, as the guide has them for the command.
    package let data: [UInt8]

    /// - Returns: Nil if the data does not fit into a command.
    package init?(_ kind: Kind, _ data: [UInt8]) {
        guard data.count <= NEOCommand.longestData else { return nil }
        self.kind = kind
        self.data = data
    }

    var command: NEOCommand {
        switch kind {
        case .setConfiguration: NEOCommand(0x04, 0x00, data)
        case .setAID: NEOCommand(0x04, 0x02, data)
        case .setGroup: NEOCommand(0x04, 0x03, data)
        case .deleteAID: NEOCommand(0x04, 0x04, data)
        case .deleteGroup: NEOCommand(0x04, 0x05, data)
        case .setCAPublicKey: NEOCommand(0xD0, 0x03, data)
        case .deleteCAPublicKey: NEOCommand(0xD0, 0x04, data)
        case .deleteCAPublicKeys: NEOCommand(0xD0, 0x05, data)
        }
    }
}

extension MagstripeDriver where Source == NEODevice {
    /// Asks the reader for its serial number and its firmware.
    package nonisolated func identify() async throws(CaptureError) -> ReaderIdentity {
        try await perform { source throws(DeviceError) in
            ReaderIdentity(
                maker: "ID TECH", serialNumber: try source.serialNumber(), firmware: try source.firmwareVersion())
        }
    }

    /// Sends `settings`, one after the other. A reader keeps those that it has accepted before one
    /// that it refuses; each can be sent again.
    ///
    /// - Parameter progress: Called with the part that is done, from 0 to 1.
    package nonisolated func load(_ settings: [NEOSetting], progress: @Sendable (Double) -> Void)
        async throws(CaptureError)
    {
        for (index, setting) in settings.enumerated() {
            _ = try await perform { source throws(DeviceError) in try source.exchange(setting.command) }
            let part = Double(index + 1) / Double(settings.count)
            events.send(.progress(.configuration, part))
            progress(part)
        }
    }
}
