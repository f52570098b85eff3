package import DeviceIO

extension DeviceError.Message {
    package static let chipCardInterface = Self("chip card interface")
    package static let bulkEndpoint = Self("bulk endpoint")
    package static let ccidResponse = Self("CCID response")
    package static let slotStatus = Self("slot status")
    package static let iccdDataBlock = Self("data block")
}
