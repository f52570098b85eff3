package import DeviceIO

extension DeviceError.Message {
    package static let gemPCMessage = Self("CCID message")
}
