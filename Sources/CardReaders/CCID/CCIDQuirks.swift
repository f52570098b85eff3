internal import DeviceIO

/// What some readers get wrong, and what is done about it.
struct CCIDQuirks: Equatable {
    /// The first exchanges may take this many times as long.
    var openingTimeout = 1
    /// It says that it has a PIN pad, and would show the PIN to the computer.
    var leaksPIN = false
    /// Its "PIN pad" is really the word for extended APDUs.
    var pinMeansExtendedAPDU = false
    /// In bits per second, the fastest at which it works.
    var largestDataRate: Int?
    /// From this version (bcdDevice) on it works.
    var brokenBefore: UInt16?

    init(_ descriptors: USBDescriptors) {
        switch (descriptors.vendor, descriptors.product) {
        // ACR122U and TWN4 start a radio first.
        case (0x072F, 0x2200):
            openingTimeout = 10
            brokenBefore = 0x0206
        case (0x09D8, 0x0427), (0x09D8, 0x0428): openingTimeout = 10
        // SCR331 and SCR335 with old firmware.
        case (0x04E6, 0xE001): brokenBefore = 0x0516
        case (0x04E6, 0xE003): brokenBefore = 0x0510
        // O2Micro OZ776.
        case (0x0B97, 0x7762), (0x0B97, 0x7772): largestDataRate = 9600
        // Keyboards of HP and Fujitsu that type the PIN as well, and C3PO's LTC31 v2, which has no keys.
        case (0x03F0, 0x1024), (0x03F0, 0x0036), (0x0BF8, 0x1017), (0x0783, 0x0006): leaksPIN = true
        // OMNIKEY's chip in its own readers and in Cherry's and Fujitsu's.
        case (0x076B, 0x3A21), (0x076B, 0x3031), (0x076B, 0x6632), (0x046A, 0x00A7), (0x0BF8, 0x1024): pinMeansExtendedAPDU = true
        default: break
        }
    }
}
