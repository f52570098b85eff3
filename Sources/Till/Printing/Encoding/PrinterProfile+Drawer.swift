extension PrinterProfile {
    /// How long a pulse to a drawer lasts, in milliseconds: shorter ones do not open it, and the
    /// socket's limit is 510 ms.
    public static let pulseLengths = 20...500

    /// Whether the pulse runs before what is in the printer's buffer, also when it is stopped.
    public var pulsesAtOnce: Bool { language == .escPOS && status == .answers }

    /// The command that opens a drawer; nil if the printer has no socket for one.
    ///
    /// A printer that answers gets ESC/POS's real-time pulse: another one that is stuck behind the
    /// end of the paper would run with the next slip.
    ///
    /// - Parameters:
    ///   - drive: 1 or 2, of the socket.
    ///   - milliseconds: Of ``pulseLengths``; the real-time pulse has steps of 100 ms.
    public func drawerPulse(drive: Int = 1, milliseconds: Int = 50) -> [UInt8]? {
        guard hasDrawer else { return nil }
        let length = min(max(milliseconds, Self.pulseLengths.lowerBound), Self.pulseLengths.upperBound)
        let isSecond: UInt8 = drive == 2 ? 1 : 0
        switch language {
        case .escPOS where pulsesAtOnce:
            return [0x10, 0x14, 1, isSecond, UInt8(clamping: (length + 99) / 100)]
        // 500 ms without a pulse behind it.
        case .escPOS: return [0x1B, 0x70, isSecond, UInt8(clamping: (length + 1) / 2), 0xFA]
        case .starLine, .starPRNT, .starRaster:
            return [0x1B, 0x07, UInt8(clamping: (length + 9) / 10), 50, isSecond == 0 ? 0x07 : 0x1A]
        }
    }
}
