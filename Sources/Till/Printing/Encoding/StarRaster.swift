/// Star's raster mode, the only one of the TSP100 family: a whole slip is one page of rows.
enum StarRaster {
    /// Rows in a block.
    private static let rowsPerBlock = 64

    /// `ESC * r A`, a page of any length, `b nL nH` for each row, `ESC * r Y` for rows without
    /// dots, `ESC FF NUL` for the end of the page with the cut, `ESC * r B`.
    static func blocks(_ bitmap: Bitmap) -> [[UInt8]] {
        let begin: [UInt8] = [0x1B, 0x2A, 0x72, 0x41, 0x1B, 0x2A, 0x72, 0x50, 0x30, 0]
        let end: [UInt8] = [0x1B, 0x0C, 0, 0x1B, 0x2A, 0x72, 0x42]
        var blocks = [begin]
        for band in bitmap.bands(ofHeight: rowsPerBlock) { blocks.append(rows(band)) }
        return blocks + [end]
    }

    private static func rows(_ band: Bitmap) -> [UInt8] {
        var bytes: [UInt8] = []
        var empty = 0
        func feed() -> [UInt8] { empty > 0 ? [0x1B, 0x2A, 0x72, 0x59] + Array("\(empty)".utf8) + [0] : [] }
        for row in 0..<band.height {
            let dots = band.row(row)
            guard let last = dots.lastIndex(where: { $0 != 0 }) else {
                empty += 1
                continue
            }
            bytes += feed()
            empty = 0
            bytes += [0x62] + UInt16(clamping: last + 1).littleEndian2 + dots[...last]
        }
        return bytes + feed()
    }
}
