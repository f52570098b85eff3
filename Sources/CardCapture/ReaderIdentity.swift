/// Which reader it is, as far as the device and its driver say: for a merchant's list of devices, and for its maker's support.
public struct ReaderIdentity: Sendable, Equatable {
    /// As its descriptors or the device itself name it; nil if unknown, as all below.
    public var maker: String?
    /// As the maker calls it.
    public var model: String?
    /// As the device gives it, leading zeros included.
    public var serialNumber: String?
    /// Names and versions of the device's software.
    public var firmware: String?

    /// Empty texts count as unknown: many devices leave theirs empty.
    public init(maker: String? = nil, model: String? = nil, serialNumber: String? = nil, firmware: String? = nil) {
        func known(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
        self.maker = known(maker)
        self.model = known(model)
        self.serialNumber = known(serialNumber)
        self.firmware = known(firmware)
    }

    /// This identity, and what it leaves open from `other`.
    package func completed(by other: ReaderIdentity?) -> ReaderIdentity {
        ReaderIdentity(
            maker: maker ?? other?.maker, model: model ?? other?.model, serialNumber: serialNumber ?? other?.serialNumber,
            firmware: firmware ?? other?.firmware)
    }
}
