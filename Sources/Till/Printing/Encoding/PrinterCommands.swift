/// The commands of a language that a slip needs.
protocol PrinterCommands {
    /// Empties the printer's line and sets its styles back.
    ///
    /// - Parameter font: 0 for A, 1 for B, 2 for C.
    func start(font: UInt8) -> [UInt8]
    func select(table number: UInt8) -> [UInt8]
    /// What changes from one style to the other.
    func style(from old: SlipStyle, to new: SlipStyle) -> [UInt8]
    /// The code in the middle of the line, of cells of so many dots; nil if the printer must not
    /// be sent these data.
    func qr(_ data: [UInt8], cell: UInt8) -> [UInt8]?
    /// The picture in bands that the buffer of a small printer holds.
    func picture(_ bitmap: Bitmap) -> [[UInt8]]
    func cut(_ cut: PrinterProfile.Cut) -> [UInt8]
}

extension PrinterProfile.Language {
    /// Nil for a printer that takes pictures only.
    var commands: (any PrinterCommands)? {
        switch self {
        case .escPOS: ESCPOSCommands()
        case .starLine: StarCommands(isPRNT: false)
        case .starPRNT: StarCommands(isPRNT: true)
        case .starRaster: nil
        }
    }
}

extension UInt16 {
    /// The lower byte first.
    var littleEndian2: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }
}
