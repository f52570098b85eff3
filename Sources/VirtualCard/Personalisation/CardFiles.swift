internal import TLV

/// The application elementary files: records by short file identifier, and the locator that tells a terminal of them
/// (EMV 4.4 Book 3, 5.3 and 10.2).
struct CardFiles: Sendable {
    /// Each record whole, in template `70`.
    let records: [UInt8: [[UInt8]]]
    let locator: ApplicationFileLocator

    /// - Parameters: contents of template `70`.
    ///   - account: SFI 1.
    ///   - keys: SFI 2.
    ///   - authenticated: SFI 3, all of them signed.
    init(account: [UInt8], keys: [[UInt8]], authenticated: [[UInt8]]) {
        records = [1: [account], 2: keys, 3: authenticated].mapValues { $0.map { tlv(.recordTemplate, $0) } }
        locator = ApplicationFileLocator([
            ApplicationFileLocator.Entry(sfi: 1, 1...1),
            ApplicationFileLocator.Entry(sfi: 2, 1...UInt8(keys.count)),
            ApplicationFileLocator.Entry(sfi: 3, 1...UInt8(authenticated.count), authenticated: UInt8(authenticated.count)),
        ])
    }
}

/// The contents of a record: the objects that have a value, one after the other.
func record(_ objects: (tag: Tag, value: [UInt8]?)...) -> [UInt8] {
    var builder = TLVBuilder()
    for object in objects {
        if let value = object.value, !value.isEmpty { builder.append(object.tag, value) }
    }
    return builder.bytes
}
