extension PrinterStatus {
    /// The number of bytes of Star's automatic status by its first byte, 0xx0xxx1: bits 5, 3, 2
    /// and 1 are 8, 4, 2 and 1; nil for another byte, and below 7 bytes.
    static func starLength(_ head: UInt8) -> Int? {
        guard head & 0x91 == 0x01 else { return nil }
        let length = Int(head >> 1 & 0x07) + (head & 0x20 != 0 ? 8 : 0)
        return length >= 7 ? length : nil
    }

    /// Star's automatic status (Star Line Mode and StarPRNT Command Specifications, ASB): as many
    /// bytes as the first says, else nil.
    public init?(star bytes: [UInt8]) {
        guard let head = bytes.first, Self.starLength(head) == bytes.count else { return nil }
        func has(_ byte: Int, _ bit: UInt8) -> Bool { bytes[byte] & (1 << bit) != 0 }
        drawerSwitch = SwitchLevel(isHigh: has(2, 2))
        isOffline = has(2, 3) || has(2, 6)
        isCoverOpen = has(2, 5)
        if has(3, 2) || has(4, 1) { faults.insert(.mechanical) }
        if has(3, 3) { faults.insert(.cutter) }
        if has(3, 5) { faults.insert(.unrecoverable) }
        if has(3, 6) { faults.insert(.hot) }
        if has(4, 2) || has(4, 3) || has(4, 6) { faults.insert(.recoverable) }
        paper = has(5, 3) ? .end : has(5, 1) || has(5, 2) ? .nearEnd : .good
    }
}
