package import DeviceIO

/// What may be shown of a CCID reader's transfers (USB CCID 1.1, 6): headers and everything that is not exchanged with a card. Commands and answers, and PINs on their
/// way from the reader's keys, stand after the header.
package enum CCIDRedaction {
    package static let redaction: WireRecorder.Redaction = { _, _, bytes in
        bytes.count > headerLength && exchanging.contains(bytes[0])
            ? [headerLength..<bytes.count] : bytes.first.map(isMessage) == true ? [] : [0..<bytes.count]
    }

    private static let headerLength = 10
    /// PC_to_RDR_XfrBlock, Secure and Escape; RDR_to_PC_DataBlock and Escape.
    private static let exchanging: Set<UInt8> = [0x6F, 0x69, 0x6B, 0x80, 0x83]

    /// Begins like a message of CCID. What does not may be the rest of one.
    private static func isMessage(_ first: UInt8) -> Bool {
        (0x50...0x51).contains(first) || (0x61...0x73).contains(first) || (0x80...0x84).contains(first)
    }
}
