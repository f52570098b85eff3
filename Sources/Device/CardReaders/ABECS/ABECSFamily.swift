import CardCapture
import DeviceIO

extension ReaderFamily {
    /// PIN pads of the Brazilian specification, over Bluetooth or a serial port.
    public static let abecs = ReaderFamily(
        "ABECS", models: ABECSReader.models, capabilities: [.contactChip, .magneticStripe, .pinPad, .display]
    ) { opening throws(DeviceError) in
        let address = opening.node.bluetooth?.address
        let pad = if let address { try ABECSReader(address: address) } else { try ABECSReader(path: opening.path) }
        return .chipAndMagstripe(try await pad.ready(), pad)
    }
}
