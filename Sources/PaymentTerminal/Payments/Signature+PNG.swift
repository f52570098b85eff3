extension Signature {
    /// The signature as a picture, for hosts and pages that show one: PNG (ISO/IEC 15948), 300 by 100 pixels of 8-bit grayscale, black
    /// on white, at most 35,000 bytes.
    ///
    /// The pen is round and two pixels wide, as on the receipt's page (``Receipt/html(for:)``).
    public var png: [UInt8] {
        let pixels = drawn()
        // Each row begins with its filter: 0 for none.
        let rows = (0..<Self.height).flatMap { [0] + pixels[($0 * Self.width)..<(($0 + 1) * Self.width)] }
        let header = UInt32(clamping: Self.width).bigEndianBytes + UInt32(clamping: Self.height).bigEndianBytes + [8, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + PNG.chunk("IHDR", header) + PNG.chunk("IDAT", PNG.zlib(rows))
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
        let rows = max(0, min(start.y, end.y) - 2)...min(height - 1, max(start.y, end.y) + 1)
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

/// The parts of a PNG file (ISO/IEC 15948), and the compression of its content.
private enum PNG {
    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        return UInt32(clamping: content.count).bigEndianBytes + named + checksum(named).bigEndianBytes
    }

    /// CRC-32 (ISO/IEC 15948, annex D).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
    }

    /// A zlib stream (RFC 1950) of one block with fixed codes (RFC 1951, 3.2.6). Only runs of a byte are compressed, which is nearly
    /// all of a signature.
    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var bits = BitWriter()
        bits.add(0b011, 3)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            var run = bytes[index...].prefix { $0 == byte }.count - 1
            index += run + 1
            bits.addLiteral(byte)
            while run >= 3 {
                // Lengths of 3 to 10 and of 258 have no further bits; the distance is 1.
                let length = run >= 258 ? 258 : min(run, 10)
                if length == 258 { bits.addCode(0b1100_0101, 8) } else { bits.addCode(UInt32(truncatingIfNeeded: length - 2), 7) }
                bits.addCode(0, 5)
                run -= length
            }
            for _ in 0..<run { bits.addLiteral(byte) }
        }
        bits.addCode(0, 7)
        return [0x78, 0x01] + bits.finished() + adler(bytes).bigEndianBytes
    }

    /// Adler-32 (RFC 1950, 8.2).
    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return high << 16 | low
    }

    /// Fills bytes from their lowest bit (RFC 1951, 3.1.1).
    private struct BitWriter {
        private var bytes: [UInt8] = []
        private var count = 0

        mutating func add(_ value: UInt32, _ width: Int) {
            for bit in 0..<width {
                if count.isMultiple(of: 8) { bytes.append(0) }
                if value >> bit & 1 == 1 { bytes[bytes.count - 1] |= 1 << (count % 8) }
                count += 1
            }
        }

        /// Codes begin with their highest bit.
        mutating func addCode(_ code: UInt32, _ width: Int) {
            for bit in (0..<width).reversed() { add(code >> bit & 1, 1) }
        }

        mutating func addLiteral(_ byte: UInt8) {
            if byte < 144 { addCode(0b0011_0000 + UInt32(byte), 8) } else { addCode(0b1_1001_0000 + UInt32(byte - 144), 9) }
        }

        func finished() -> [UInt8] { bytes }
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { (0..<4).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
}
