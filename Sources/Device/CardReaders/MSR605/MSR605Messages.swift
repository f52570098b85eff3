package import DeviceIO

extension DeviceError.Message {
    package static let msr605Answer = Self("MSR605 answer")
    package static let msr605Version = Self("MSR605 version")
    package static let msr605Status = Self("MSR605 status")
    package static let msr605Track = Self("MSR605 track")
    package static let msr605Report = Self("MSR605X report")
}
