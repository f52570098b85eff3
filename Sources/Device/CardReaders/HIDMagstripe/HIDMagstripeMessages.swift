package import DeviceIO

extension DeviceError.Message {
    package static let hidTrack = Self("magnetic stripe track")
}
