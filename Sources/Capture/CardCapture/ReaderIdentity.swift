private import Bytes

/// Identifies a reader as far as the device and its driver can: for a merchant's list of devices,
/// and for the maker's support.
///
/// Each text is on one line, whatever the device says.
public struct ReaderIdentity: Sendable, Equatable {
    /// From the descriptors or from the device itself; nil if unknown, like all properties below.
    public var maker: String? { didSet { maker = maker?.onOneLine() } }
    /// The maker's name for the model.
    public var model: String? { didSet { model = model?.onOneLine() } }
    /// As the device reports it, with leading zeros.
    public var serialNumber: String? { didSet { serialNumber = serialNumber?.onOneLine() } }
    /// Names and versions of the device's software.
    public var firmware: String? { didSet { firmware = firmware?.onOneLine() } }

    /// Empty strings count as unknown: many devices report them.
    public init(maker: String? = nil, model: String? = nil, serialNumber: String? = nil, firmware: String? = nil) {
        func known(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0.onOneLine() } }
        self.maker = known(maker)
        self.model = known(model)
        self.serialNumber = known(serialNumber)
        self.firmware = known(firmware)
    }

    /// This identity, with missing properties taken from `other`.
    package func completed(by other: ReaderIdentity?) -> ReaderIdentity {
        ReaderIdentity(
            maker: maker ?? other?.maker, model: model ?? other?.model,
            serialNumber: serialNumber ?? other?.serialNumber,
            firmware: firmware ?? other?.firmware)
    }
}
