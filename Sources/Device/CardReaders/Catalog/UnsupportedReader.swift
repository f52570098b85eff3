package import DeviceIO

/// A contactless device that is known by its numbers, and that no driver uses fully.
package struct UnsupportedReader: Sendable, Hashable {
    /// How far it can be used.
    package enum Use: Sendable, Hashable {
        /// Not at all.
        case none
        /// As the field of a chip card reader (CCID): its chip is not driven directly.
        case chipCardReader
    }

    package let node: DeviceNode
    /// Maker and model of the table's row: what such a device reports of itself may be empty or of
    /// another model.
    package let name: String
    package let use: Use

    /// Nil if `node` is not such a device.
    init?(_ node: DeviceNode) {
        guard node.kind == .usb,
            let row = Self.rows.first(where: { $0.vendor == node.vendor && $0.product == node.product })
        else {
            return nil
        }
        self.node = node
        name = row.name
        use = ReaderCatalog.reader(node) == nil ? .none : .chipCardReader
    }

    private struct Row {
        let vendor, product: UInt16
        let name: String

        init(_ vendor: UInt16, _ product: UInt16, _ name: String) {
            (self.vendor, self.product, self.name) = (vendor, product, name)
        }
    }

    /// The numbers are those of libnfc and of the kernel's driver port100.
    private static let rows = [
        Row(0x04CC, 0x0531, "NXP PN531"), Row(0x054C, 0x0193, "Sony PN531"),
        Row(0x054C, 0x02E1, "Sony RC-S330, RC-S360 or RC-S370"),
        Row(0x054C, 0x06C1, "Sony RC-S380/S"), Row(0x054C, 0x06C3, "Sony RC-S380/P"),
        Row(0x072F, 0x2214, "ACS ACR1222"),
        // Both have these numbers, and an ACR38 has contacts alone.
        Row(0x072F, 0x90CC, "touchatag, unless it is an ACR38"),
    ]

    /// What is wrong with it, without its name.
    package var problem: String {
        switch use {
        case .none: "it is a contactless reader that is not supported"
        case .chipCardReader: "its field is used as that of a chip card reader; its chip is not driven directly"
        }
    }

    /// What to use in its place, or how.
    package var cure: String {
        switch use {
        case .none: "use a PN533 or ACR122U on USB, a PN532 on a serial port, or a chip card reader (CCID) with a field"
        case .chipCardReader: "cardpresent sale --tap --reader \(node.node)"
        }
    }
}

extension ReaderCatalog {
    /// Those of `devices` that are known, and that no driver uses fully, in the order of their
    /// nodes.
    package static func unsupportedReaders(among devices: [DeviceNode]) -> [UnsupportedReader] {
        devices.sorted { $0.node < $1.node }.compactMap(UnsupportedReader.init)
    }
}
