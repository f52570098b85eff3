internal import DeviceIO

/// A chip card reader that is identified by vendor and product: because it uses a vendor-specific
/// interface class, or because it has defects.
struct CCIDModel {
    let vendor, product: UInt16
    let name: String
    var hidesItsClass = false
    var quirks = CCIDQuirks()

    static let all: [CCIDModel] = [
        CCIDModel(vendor: 0x0783, product: 0x0003, name: "C3PO LTC31", hidesItsClass: true),
        CCIDModel(vendor: 0x0DC3, product: 0x1004, name: "Athena ASE IIIe", hidesItsClass: true),
        CCIDModel(vendor: 0x072F, product: 0x90CC, name: "ACS ACR38", hidesItsClass: true),
        // They start their radio first, which takes time.
        CCIDModel(
            vendor: 0x072F, product: 0x2200, name: "ACS ACR122U",
            quirks: CCIDQuirks(openingTimeout: 10, brokenBefore: 0x0206)),
        CCIDModel(vendor: 0x09D8, product: 0x0427, name: "Elatec TWN4", quirks: CCIDQuirks(openingTimeout: 10)),
        CCIDModel(vendor: 0x09D8, product: 0x0428, name: "Elatec TWN4", quirks: CCIDQuirks(openingTimeout: 10)),
        CCIDModel(vendor: 0x04E6, product: 0xE001, name: "SCM SCR331", quirks: CCIDQuirks(brokenBefore: 0x0516)),
        CCIDModel(vendor: 0x04E6, product: 0xE003, name: "SCM SCR335", quirks: CCIDQuirks(brokenBefore: 0x0510)),
        CCIDModel(vendor: 0x0B97, product: 0x7762, name: "O2Micro OZ776", quirks: CCIDQuirks(largestDataRate: 9600)),
        CCIDModel(vendor: 0x0B97, product: 0x7772, name: "O2Micro OZ776", quirks: CCIDQuirks(largestDataRate: 9600)),
        // Keyboards that type the PIN as well.
        CCIDModel(vendor: 0x03F0, product: 0x1024, name: "HP keyboard", quirks: CCIDQuirks(leaksPIN: true)),
        CCIDModel(vendor: 0x03F0, product: 0x0036, name: "HP keyboard", quirks: CCIDQuirks(leaksPIN: true)),
        CCIDModel(vendor: 0x0BF8, product: 0x1017, name: "Fujitsu keyboard", quirks: CCIDQuirks(leaksPIN: true)),
        // It has no keys.
        CCIDModel(vendor: 0x0783, product: 0x0006, name: "C3PO LTC31 v2", quirks: CCIDQuirks(leaksPIN: true)),
        // OMNIKEY's chip in its own readers and in Cherry's and Fujitsu's.
        CCIDModel(
            vendor: 0x076B, product: 0x3A21, name: "OMNIKEY reader", quirks: CCIDQuirks(pinMeansExtendedAPDU: true)),
        CCIDModel(
            vendor: 0x076B, product: 0x3031, name: "OMNIKEY reader", quirks: CCIDQuirks(pinMeansExtendedAPDU: true)),
        CCIDModel(
            vendor: 0x076B, product: 0x6632, name: "OMNIKEY reader", quirks: CCIDQuirks(pinMeansExtendedAPDU: true)),
        CCIDModel(
            vendor: 0x046A, product: 0x00A7, name: "Cherry reader", quirks: CCIDQuirks(pinMeansExtendedAPDU: true)),
        CCIDModel(
            vendor: 0x0BF8, product: 0x1024, name: "Fujitsu reader", quirks: CCIDQuirks(pinMeansExtendedAPDU: true)),
    ]
}

/// Defects of some readers, and how the driver handles them.
struct CCIDQuirks: Equatable {
    /// A factor for the time limit of the first exchanges.
    var openingTimeout = 1
    /// It reports a PIN pad, but would reveal the PIN to the computer.
    var leaksPIN = false
    /// It sets the flag for a PIN pad to report extended APDUs.
    var pinMeansExtendedAPDU = false
    /// The fastest rate at which it works, in bits per second.
    var largestDataRate: Int?
    /// The first version (bcdDevice) that works.
    var brokenBefore: UInt16?

    /// The defects of the reader with these descriptors; none if no defects are known.
    static func of(_ descriptors: USBDescriptors) -> CCIDQuirks {
        CCIDModel.all.first { $0.vendor == descriptors.vendor && $0.product == descriptors.product }?.quirks
            ?? CCIDQuirks()
    }
}

extension CCIDReader {
    /// Readers are identified by their interface class. Those with a vendor-specific class are
    /// listed by model.
    public static let models: [ReaderModel] =
        [ReaderModel(.usb, interfaceClass: 0x0B, name: "chip card reader")]
        + CCIDModel.all.filter(\.hidesItsClass).map {
            ReaderModel(.usb, vendor: $0.vendor, product: $0.product, name: $0.name)
        }
}
