/// Star Line Mode and StarPRNT, which differ in their pictures (Star Line Mode Command
/// Specifications; StarPRNT Command Specifications 2.25).
struct StarCommands: PrinterCommands {
    let isPRNT: Bool

    func start(font: UInt8) -> [UInt8] { [0x1B, 0x40, 0x1B, 0x1E, 0x46, font] }

    func select(table number: UInt8) -> [UInt8] { [0x1B, 0x1D, 0x74, number] }

    func style(from old: SlipStyle, to new: SlipStyle) -> [UInt8] {
        let changed = old.symmetricDifference(new)
        var bytes: [UInt8] = []
        if changed.contains(.bold) { bytes += [0x1B, new.contains(.bold) ? 0x45 : 0x46] }
        if changed.contains(.underline) { bytes += [0x1B, 0x2D, new.contains(.underline) ? 1 : 0] }
        if changed.contains(.inverse) { bytes += [0x1B, new.contains(.inverse) ? 0x34 : 0x35] }
        if !changed.isDisjoint(with: [.doubleWidth, .doubleHeight]) {
            bytes += [0x1B, 0x69, new.contains(.doubleHeight) ? 1 : 0, new.contains(.doubleWidth) ? 1 : 0]
        }
        return bytes
    }

    /// `ESC GS y`: model 2, correction M, the cell, the data, print; in the middle by `ESC GS a`.
    func qr(_ data: [UInt8], cell: UInt8) -> [UInt8]? {
        guard data.allSatisfy({ $0 >= 0x20 }), let length = UInt16(exactly: data.count) else { return nil }
        return [0x1B, 0x1D, 0x61, 1]
            + [0x1B, 0x1D, 0x79, 0x53, 0x30, 2]
            + [0x1B, 0x1D, 0x79, 0x53, 0x31, 1]
            + [0x1B, 0x1D, 0x79, 0x53, 0x32, min(cell, 8)]
            + [0x1B, 0x1D, 0x79, 0x44, 0x31, 0] + length.littleEndian2 + data
            + [0x1B, 0x1D, 0x79, 0x50, 0x0A]
            + [0x1B, 0x1D, 0x61, 0]
    }

    /// `ESC GS S` in StarPRNT; in Line Mode `ESC X` for columns of 24 dots, between `ESC 0` for
    /// lines without a gap and `ESC z 1`.
    func picture(_ bitmap: Bitmap) -> [[UInt8]] {
        guard isPRNT else {
            let bands = bitmap.bands(ofHeight: 24).map { band in
                [0x1B, 0x58] + UInt16(clamping: band.width).littleEndian2 + band.columnsOf24 + [0x0A]
            }
            return [[0x1B, 0x30]] + bands + [[0x1B, 0x7A, 1]]
        }
        return bitmap.bands(ofHeight: ESCPOSCommands.bandHeight).map { band in
            let size = UInt16(clamping: band.bytesPerRow).littleEndian2 + UInt16(clamping: band.height).littleEndian2
            return [0x1B, 0x1D, 0x53, 1] + size + [0] + band.bytes
        }
    }

    /// `ESC d`, with feed to the knife.
    func cut(_ cut: PrinterProfile.Cut) -> [UInt8] {
        switch cut {
        case .none: [0x0A, 0x0A, 0x0A, 0x0A]
        case .partial: [0x1B, 0x64, 3]
        case .full: [0x1B, 0x64, 2]
        }
    }
}
