package import DeviceIO

extension DeviceError.Message {
    package static let miuraPacket = Self("Miura packet")
}
