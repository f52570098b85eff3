private import CZlib

extension Signature {
    /// The signature as a picture, for hosts and pages that show one: PNG (ISO/IEC 15948), 300 by
    /// 100 pixels of 8-bit grayscale, black on white, at most 35,000 bytes.
    ///
    /// The pen is round and two pixels wide, as on the receipt's page (``Receipt/html(for:)``).
    public var png: [UInt8] {
        let pixels = drawn()
        // Each row begins with its filter: 0 for none.
        let rows = (0..<Self.height).flatMap { (row: Int) -> [UInt8] in
            // ordered: a row has the width of the canvas
            [0] + pixels[row * Self.width..<(row + 1) * Self.width]
        }
        let header =
            UInt32(clamping: Self.width).bigEndianBytes + UInt32(clamping: Self.height).bigEndianBytes + [
                8, 0, 0, 0, 0,
            ]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + PNG.chunk("IHDR", header)
            + PNG.chunk("IDAT", PNG.zlib(rows))
            + PNG.chunk("IEND", [])
    }

    /// Gray values from 0 for black to 255 for white, row by row.
    private func drawn() -> [UInt8] {
        var pixels = [UInt8](repeating: 0xFF, count: Self.width * Self.height)
        for stroke in strokes where stroke.count > 1 {
            for (start, end) in zip(stroke, stroke.dropFirst()) { Self.draw(start, end, &pixels) }
        }
        return pixels
    }

    /// Half the pen, in pixels.
    private static let penRadius = 1.0

    /// A pixel is as dark as the pen covers it, by the distance of its middle from the line.
    private static func draw(_ start: Point, _ end: Point, _ pixels: inout [UInt8]) {
        let (dx, dy) = (Double(end.x - start.x), Double(end.y - start.y))
        let length = dx * dx + dy * dy
        // ordered: a point is on the canvas, its lower and right edges included
        let rows = max(0, min(start.y, end.y) - 2)...min(height - 1, max(start.y, end.y) + 1)
        // ordered: as the rows
        let columns = max(0, min(start.x, end.x) - 2)...min(width - 1, max(start.x, end.x) + 1)
        for row in rows {
            for column in columns {
                let (x, y) = (Double(column - start.x) + 0.5, Double(row - start.y) + 0.5)
                let part = length > 0 ? min(1, max(0, (x * dx + y * dy) / length)) : 0
                let (offX, offY) = (x - part * dx, y - part * dy)
                let coverage = min(1, max(0, penRadius + 0.5 - (offX * offX + offY * offY).squareRoot()))
                let gray = UInt8(exactly: ((1 - coverage) * 255).rounded()) ?? 0
                pixels[row * width + column] = min(pixels[row * width + column], gray)
            }
        }
    }
}

/// The parts of a PNG file (ISO/IEC 15948).
private enum PNG {
    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        let checksum = unsafe crc32(0, named, uInt(clamping: named.count))
        return UInt32(clamping: content.count).bigEndianBytes + named + UInt32(clamping: checksum).bigEndianBytes
    }

    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        let count = uLong(clamping: bytes.count)
        var length = compressBound(count)
        var packed = [UInt8](repeating: 0, count: Int(clamping: length))
        let status = unsafe compress2(&packed, &length, bytes, count, Z_BEST_COMPRESSION)
        precondition(status == Z_OK, "zlib is out of memory")
        return Array(packed.prefix(Int(clamping: length)))
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { (0..<4).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
}
