package import DeviceIO

/// Decides which bytes of a CCID reader's transfers a recording may show (USB CCID 1.1, 6):
/// headers, and everything that is not exchanged with a card. APDUs and PIN data follow the header.
package enum CCIDRedaction {
    package static let redaction: WireRecorder.Redaction = { _, _, bytes in
        bytes.count > headerLength && exchanging.contains(bytes[0])
            ? [headerLength..<bytes.count] : bytes.first.map(isMessage) == true ? [] : [0..<bytes.count]
    }

    private static let headerLength = 10
    /// PC_to_RDR_XfrBlock, Secure and Escape; RDR_to_PC_DataBlock and Escape.
    private static let exchanging: Set<UInt8> = [0x6F, 0x69, 0x6B, 0x80, 0x83]

    /// Whether the byte begins a CCID message. Other data may be the rest of one.
    private static func isMessage(_ first: UInt8) -> Bool {
        (0x50...0x51).contains(first) || (0x61...0x73).contains(first) || (0x80...0x84).contains(first)
    }
}
