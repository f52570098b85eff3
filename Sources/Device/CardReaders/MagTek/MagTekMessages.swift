package import DeviceIO

extension DeviceError.Message {
    package static let dynaProCardData = Self("DynaPro card data")
    package static let dynaProCiphertext = Self("DynaPro ciphertext")
    package static let transactionStatus = Self("transaction status")
    package static let transactionResult = Self("transaction result")
    package static let menu = Self("menu")
    package static let mmsFrame = Self("MMS frame")
    package static let mmsMessage = Self("MMS message")
    package static let mmsProperty = Self("MMS property")
    package static let mmsPacket = Self("MMS packet")
    package static let mmsStatus = Self("MMS status")
    package static let extendedAnswer = Self("extended answer")
    package static let notification = Self("notification")
    package static let magneSafeAnswer = Self("MagneSafe answer")
    package static let magneSafeReport = Self("MagneSafe report")
    package static let magneSafeTrack = Self("MagneSafe track")
    package static let magneSafeSecurityLevel = Self("MagneSafe security level")
    package static let magneSafeKeySerialNumber = Self("MagneSafe key serial number")
    package static let sureSwipeReport = Self("SureSwipe report")
    package static let sureSwipeTrack = Self("SureSwipe track")
}
