import CardCapture
import DeviceIO

extension ReaderFamily {
    /// Miura PIN pads over Bluetooth or a serial port, with a kernel of their own.
    public static let miura = ReaderFamily(
        "Miura MPI", models: MiuraReader.models,
        capabilities: [.contactChip, .contactlessChip, .magneticStripe, .ownKernel, .pinPad, .display, .battery]
    ) { opening throws(DeviceError) in
        guard let address = opening.node.bluetooth?.address else {
            return .reader(try await MiuraReader(path: opening.path, clock: opening.clock).ready())
        }
        return .reader(try await MiuraReader(address: address, clock: opening.clock).ready())
    }
}
