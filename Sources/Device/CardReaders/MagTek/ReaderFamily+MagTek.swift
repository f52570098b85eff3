import CardCapture
package import DeviceIO

extension ReaderFamily {
    /// MagTek stripe readers, in the clear and encrypting. Without a product, the length of the
    /// reports identifies the model.
    public static let magTekSwipe = ReaderFamily(
        magstripe: "MagTek swipe", models: SureSwipe.models + MagneSafe.models, capabilities: SureSwipe.capabilities
    ) { opening throws(DeviceError) in
        let isSureSwipe =
            if let product = opening.product { product == 0x0002 } else {
                SureSwipe.sends(try HIDDevice(path: opening.path, cancel: nil).reports)
            }
        return isSureSwipe ? try SureSwipeReader(path: opening.path) : try MagneSafeReader(path: opening.path)
    }

    /// MagTek readers with a kernel of their own and extended MagneSafe commands.
    public static let magTekDynamo = ReaderFamily(
        "MagTek Dynamo", models: DynamoLink.models, capabilities: DynamoLink.capabilities.union(MagneSafe.capabilities),
        openMagstripe: { opening throws(DeviceError) in try MagneSafeReader(path: opening.path) }
    ) { opening throws(DeviceError) in
        .reader(try await DynamoReader(hid: opening.path, name: opening.name, choose: opening.choose).ready())
    }

    /// The same with a field, too. Where a card is expected in it, the device takes taps and
    /// inserted cards.
    public static let magTekTDynamo = ReaderFamily(
        "MagTek tDynamo", models: DynamoLink.fieldModels,
        capabilities: DynamoLink.fieldCapabilities.union(MagneSafe.capabilities),
        openMagstripe: { opening throws(DeviceError) in try MagneSafeReader(path: opening.path) }
    ) { opening throws(DeviceError) in
        let hasField = opening.interface == .contactless
        let reader = try DynamoReader(hid: opening.path, name: opening.name, hasField: hasField, choose: opening.choose)
        return .reader(try await reader.ready())
    }

    /// MagTek readers with a kernel of their own and the MMS protocol.
    public static let magTekMMS = ReaderFamily("MagTek MMS", models: MMSLink.models, capabilities: MMSLink.capabilities)
    {
        opening throws(DeviceError) in
        let reader =
            opening.node.kind == .hid
            ? try MMSReader(hid: opening.path, name: opening.name)
            : try MMSReader(serialPort: opening.path, name: opening.name)
        return .reader(try await reader.ready())
    }
}

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
