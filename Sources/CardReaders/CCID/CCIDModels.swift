internal import DeviceIO

extension CCIDReader {
    /// Readers are known by their interface class; those that hide it behind a class of their own are named.
    public static let models: [ReaderModel] = [
        ReaderModel(.ccid, .usb, interfaceClass: 0x0B, name: "chip card reader"),
        ReaderModel(.ccid, .usb, vendor: 0x0783, product: 0x0003, name: "C3PO LTC31"),
        ReaderModel(.ccid, .usb, vendor: 0x0DC3, product: 0x1004, name: "Athena ASE IIIe"),
        ReaderModel(.ccid, .usb, vendor: 0x072F, product: 0x90CC, name: "ACS ACR38"),
    ]
}
