package import DeviceIO

extension DeviceError.Message {
    package static let neoFrame = Self("NEO frame")
    package static let neoDataObject = Self("NEO data object")
    package static let idTechSwipe = Self("ID TECH swipe")
}
