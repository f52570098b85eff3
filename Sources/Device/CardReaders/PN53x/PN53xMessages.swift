package import DeviceIO

extension DeviceError.Message {
    package static let pn53xFrame = Self("PN53x frame")
    package static let pn53xAnswer = Self("PN53x answer")
    package static let acr122Answer = Self("ACR122U answer")
}
