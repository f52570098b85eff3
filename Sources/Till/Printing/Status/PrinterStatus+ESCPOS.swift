extension PrinterStatus {
    /// What an answer to `DLE EOT n` speaks of.
    public enum RealTimeRequest: UInt8, Sendable, CaseIterable {
        case printer = 1
        case offlineCause = 2
        case error = 3
        case paper = 4
    }

    /// An answer to `DLE EOT n` (Epson, ESC/POS Command Reference); nil if the fixed bits are
    /// wrong: 0, 1, 4 and 7 are 0, 1, 1 and 0.
    public init?(realTime byte: UInt8, to request: RealTimeRequest) {
        guard Self.isRealTime(byte) else { return nil }
        func has(_ bit: UInt8) -> Bool { byte & (1 << bit) != 0 }
        switch request {
        case .printer:
            drawerSwitch = SwitchLevel(isHigh: has(2))
            isOffline = has(3)
        case .offlineCause:
            isCoverOpen = has(2)
            // Bit 5 says that printing stopped for it; without it nothing is said of the paper.
            if has(5) { paper = .end }
        case .error:
            if has(2) { faults.insert(.recoverable) }
            if has(3) { faults.insert(.cutter) }
            if has(5) { faults.insert(.unrecoverable) }
            if has(6) { faults.insert(.hot) }
        case .paper: paper = has(5) || has(6) ? .end : has(2) || has(3) ? .nearEnd : .good
        }
    }

    static func isRealTime(_ byte: UInt8) -> Bool { byte & 0x93 == 0x12 }

    /// Whether four bytes of an automatic status begin with this one.
    static func isAutomatic(_ byte: UInt8) -> Bool { byte & 0x93 == 0x10 }

    /// Four bytes that come by themselves after `GS a n` (Epson, ESC/POS Command Reference, ASB);
    /// nil for another number of bytes, and if the first is not that of such a status.
    public init?(automatic bytes: [UInt8]) {
        guard bytes.count == 4, Self.isAutomatic(bytes[0]) else { return nil }
        func has(_ byte: Int, _ bit: UInt8) -> Bool { bytes[byte] & (1 << bit) != 0 }
        drawerSwitch = SwitchLevel(isHigh: has(0, 2))
        isOffline = has(0, 3)
        isCoverOpen = has(0, 5)
        if has(1, 2) { faults.insert(.recoverable) }
        if has(1, 3) { faults.insert(.cutter) }
        if has(1, 5) { faults.insert(.unrecoverable) }
        if has(1, 6) { faults.insert(.hot) }
        paper = has(2, 2) || has(2, 3) ? .end : has(2, 0) || has(2, 1) ? .nearEnd : .good
    }
}
