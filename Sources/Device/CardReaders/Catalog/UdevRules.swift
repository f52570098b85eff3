private import DeviceIO

/// The udev rules that let users open readers, made from the id tables.
///
/// The number of the file matters: before 73, which grants access to seats, and after 50, where
/// udev identifies devices.
package enum UdevRules {
    /// The file's name in `/etc/udev/rules.d`.
    package static let fileName = "60-cardpresent.rules"
    /// The group that may open readers on hosts without a seat, over SSH or as a service.
    package static let group = "cardpresent"

    /// The file's text.
    package static let text: String = {
        var lines = [
            "# Payment card readers: users at the machine and members of the group \(group) may open them.",
            "# Made from the id tables of the drivers by `cardpresent udev print`; do not edit.",
            "",
            "ACTION==\"remove\", GOTO=\"cardpresent_end\"",
        ]
        for family in ReaderFamily.all {
            let rules = family.models.flatMap(rules)
            if !rules.isEmpty { lines += ["", "# \(family.name)"] + rules }
        }
        return (lines + ["", "LABEL=\"cardpresent_end\"", ""]).joined(separator: "\n")
    }()

    private static let access = "GROUP=\"\(group)\", MODE=\"0660\", TAG+=\"uaccess\""

    private static func rules(_ model: ReaderModel) -> [String] {
        let vendor = model.vendor.map { hex($0) }
        let product = model.product.map { hex($0) }
        switch model.kind {
        case .usb:
            var match = ["SUBSYSTEM==\"usb\"", "ENV{DEVTYPE}==\"usb_device\""]
            if let vendor { match.append("ATTR{idVendor}==\"\(vendor)\"") }
            if let product { match.append("ATTR{idProduct}==\"\(product)\"") }
            if let code = model.interfaceClass { match.append("ENV{ID_USB_INTERFACES}==\"*:\(hex(code))????:*\"") }
            return [(match + [access]).joined(separator: ", ")]
        case .hid:
            guard let vendor, let product else { return [] }
            return hidRules(vendor, product)
        // Bluetooth uses sockets, which have no device files.
        case .bluetooth: return []
        case .serial:
            guard let vendor else { return [] }
            let match =
                ["SUBSYSTEM==\"tty\"", "ATTRS{idVendor}==\"\(vendor)\""]
                + (product.map { ["ATTRS{idProduct}==\"\($0)\""] } ?? [])
            // ModemManager would send its commands to a pinpad.
            return [
                (match + [access, "ENV{ID_MM_DEVICE_IGNORE}=\"1\", ENV{ID_MM_PORT_IGNORE}=\"1\""]).joined(
                    separator: ", ")
            ]
        }
    }

    /// A Bluetooth device has no USB parent: its HID parent's name has bus, vendor and product in
    /// upper case.
    private static func hidRules(_ vendor: String, _ product: String) -> [String] {
        [
            "KERNEL==\"hidraw*\", SUBSYSTEM==\"hidraw\", ATTRS{idVendor}==\"\(vendor)\", ATTRS{idProduct}==\"\(product)\", \(access)",
            "KERNEL==\"hidraw*\", SUBSYSTEM==\"hidraw\", KERNELS==\"*:\(vendor.uppercased()):\(product.uppercased()).*\", \(access)",
        ]
    }

    /// The command that writes a rule for one reader that the file's rules do not cover; nil if
    /// they cover it.
    ///
    /// A HID stripe reader is identified by its report descriptor, but udev cannot match binary
    /// attributes. So the rule uses its vendor and product.
    static func command(for reader: ReaderCatalog.Found) -> String? {
        guard reader.model.kind == .hid, reader.model.vendor == nil else { return nil }
        let (vendor, product) = (hex(reader.node.vendor), hex(reader.node.product))
        let rule = hidRules(vendor, product)[reader.node.usbPath.isEmpty ? 1 : 0]
        return "echo '\(rule)' | sudo tee /etc/udev/rules.d/60-cardpresent-\(vendor)-\(product).rules"
            + " && sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=hidraw"
    }

    private static func hex(_ value: some FixedWidthInteger) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: value.bitWidth / 4 - digits.count) + digits
    }
}
