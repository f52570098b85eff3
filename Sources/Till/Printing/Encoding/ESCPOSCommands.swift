/// Epson's ESC/POS (Epson, ESC/POS Command Reference for TM Printers).
struct ESCPOSCommands: PrinterCommands {
    /// The rows of a band: what printers with small buffers take at once.
    static let bandHeight = 128

    /// `ESC @`, out of the kanji mode (`FS .`), the font (`ESC M`).
    func start(font: UInt8) -> [UInt8] { [0x1B, 0x40, 0x1C, 0x2E, 0x1B, 0x4D, font] }

    func select(table number: UInt8) -> [UInt8] { [0x1B, 0x74, number] }

    func style(from old: SlipStyle, to new: SlipStyle) -> [UInt8] {
        let changed = old.symmetricDifference(new)
        var bytes: [UInt8] = []
        if changed.contains(.bold) { bytes += [0x1B, 0x45, new.contains(.bold) ? 1 : 0] }
        if changed.contains(.underline) { bytes += [0x1B, 0x2D, new.contains(.underline) ? 1 : 0] }
        if changed.contains(.inverse) { bytes += [0x1D, 0x42, new.contains(.inverse) ? 1 : 0] }
        if !changed.isDisjoint(with: [.doubleWidth, .doubleHeight]) {
            bytes += [0x1D, 0x21, (new.contains(.doubleWidth) ? 0x10 : 0) | (new.contains(.doubleHeight) ? 0x01 : 0)]
        }
        return bytes
    }

    /// `GS ( k`: model 2, the cell, correction M, the data, print; in the middle by `ESC a`. The
    /// printer would act on control characters in the data.
    func qr(_ data: [UInt8], cell: UInt8) -> [UInt8]? {
        guard data.allSatisfy({ $0 >= 0x20 }), let length = UInt16(exactly: data.count + 3) else { return nil }
        return [0x1B, 0x61, 1]
            + [0x1D, 0x28, 0x6B, 4, 0, 0x31, 0x41, 0x32, 0]
            + [0x1D, 0x28, 0x6B, 3, 0, 0x31, 0x43, min(cell, 16)]
            + [0x1D, 0x28, 0x6B, 3, 0, 0x31, 0x45, 0x31]
            + [0x1D, 0x28, 0x6B] + length.littleEndian2 + [0x31, 0x50, 0x30] + data
            + [0x1D, 0x28, 0x6B, 3, 0, 0x31, 0x51, 0x30]
            + [0x1B, 0x61, 0]
    }

    /// `GS v 0` for each band. The number of bytes is exact: of a wrong one, printers take the
    /// rest of the picture for text.
    func picture(_ bitmap: Bitmap) -> [[UInt8]] {
        bitmap.bands(ofHeight: Self.bandHeight).map { band in
            let size = UInt16(clamping: band.bytesPerRow).littleEndian2 + UInt16(clamping: band.height).littleEndian2
            return [0x1D, 0x76, 0x30, 0] + size + Self.withoutRealTimeCommands(band.bytes)
        }
    }

    /// Printers act on real-time commands also inside a picture: `DLE EOT`, `DLE ENQ`, `DLE DC4`.
    /// One dot of such a pair of bytes is left out, and the drawer stays closed.
    static func withoutRealTimeCommands(_ data: [UInt8]) -> [UInt8] {
        var data = data
        for index in data.indices.dropLast()
        where data[index] == 0x10 && [0x04, 0x05, 0x14].contains(data[index + 1]) {
            data[index] = 0
        }
        return data
    }

    /// `GS V 66 0`, `GS V 65 0`: the printer feeds to its knife first.
    func cut(_ cut: PrinterProfile.Cut) -> [UInt8] {
        switch cut {
        case .none: [0x1B, 0x64, 4]
        case .partial: [0x1D, 0x56, 0x42, 0]
        case .full: [0x1D, 0x56, 0x41, 0]
        }
    }
}
