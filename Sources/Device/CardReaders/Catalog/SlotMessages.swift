package import DeviceIO

extension DeviceError.Message {
    package static let chipCardSlot = Self("chip card slot")
    package static let magstripeSlot = Self("magnetic stripe slot")
}
