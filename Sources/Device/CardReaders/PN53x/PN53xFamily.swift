import CardCapture
import DeviceIO

extension ReaderFamily {
    /// Contactless readers with a PN533 on USB, the ACR122U with its PN532, and a PN532 on a serial
    /// port, where devices cannot be identified.
    public static let pn53x = ReaderFamily("PN53x", models: PN53xReader.models, capabilities: .contactlessChip) {
        opening throws(DeviceError) in
        let path = opening.path
        guard opening.node.kind == .usb else { return .chip(try await PN53xReader(path: path).ready()) }
        let reader = try PN53xReader(name: opening.name, isACR122: PN53xReader.isACR122(opening.node)) { cancel throws(DeviceError) in
            try USBDevice(node: path, cancel: cancel)
        }
        return .chip(try await reader.ready())
    }
}

extension PN53xReader {
    private static let acr122 = ReaderModel(.usb, vendor: 0x072F, product: 0x2200, name: "ACS ACR122U")

    /// Published lists of ids differ on which SCM product is the SCL3712.
    static let models: [ReaderModel] = [
        ReaderModel(.usb, vendor: 0x04CC, product: 0x2533, name: "NXP PN533"),
        ReaderModel(.usb, vendor: 0x04E6, product: 0x5591, name: "SCM SCL3711"),
        ReaderModel(.usb, vendor: 0x04E6, product: 0x5593, name: "SCM SCL3712"),
        ReaderModel(.usb, vendor: 0x04E6, product: 0x5594, name: "SCM SCL3712 (5594)"),
        ReaderModel(.usb, vendor: 0x1FD3, product: 0x0608, name: "ASK LoGO"), acr122,
    ]

    static func isACR122(_ node: DeviceNode) -> Bool { acr122.matches(node) }
}
