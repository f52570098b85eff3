package import DeviceIO

extension DeviceError.Message {
    package static let abecsAnswer = Self("ABECS answer")
    package static let abecsCommand = Self("ABECS command")
    package static let answerToReset = Self("answer to reset")
    package static let trackData = Self("track data")
}
