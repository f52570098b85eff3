/// The two kinds of card of ISO/IEC 14443, as far as their frames differ.
enum ContactlessType: CaseIterable {
    case a
    case b

    /// Whether the check bytes at the frame's end are correct: CRC_A or CRC_B (ISO/IEC 14443-3,
    /// annex B).
    func checks(_ frame: [UInt8]) -> Bool {
        guard frame.count > 2 else { return false }
        var register: UInt16 = self == .a ? 0x6363 : 0xFFFF
        for byte in frame.dropLast(2) {
            var byte = byte ^ UInt8(register & 0xFF)
            byte ^= byte << 4
            register = register >> 8 ^ UInt16(byte) << 8 ^ UInt16(byte) << 3 ^ UInt16(byte) >> 4
        }
        if self == .b { register = ~register }
        return frame.suffix(2).elementsEqual([UInt8(register & 0xFF), UInt8(truncatingIfNeeded: register >> 8)])
    }

    /// Whether a reader's frame looks for cards, or sends one to sleep: anticollision, SELECT and
    /// HLTA of type A, which have no check bytes in part; REQB, WUPB, Slot-MARKER and HLTB of type
    /// B (ISO/IEC 14443-3, 6 and 7).
    func selects(_ frame: [UInt8]) -> Bool {
        switch (self, frame.first) {
        case (.a, 0x93), (.a, 0x95), (.a, 0x97): true
        case (.a, 0x50): frame.starts(with: [0x50, 0x00])
        case (.b, 0x05): frame.count == 5 && checks(frame)
        case (.b, 0x50): frame.count == 7 && checks(frame)
        case (.b, let first?): frame.count == 3 && first & 0x0F == 0x05 && checks(frame)
        default: false
        }
    }
}
