/// A picture of dots, black or white, eight in a byte: what a printer prints.
public struct Bitmap: Sendable, Equatable {
    /// In dots.
    public let width: Int
    public let height: Int
    /// Row by row; the top bit is the leftmost dot, 1 is black.
    public private(set) var bytes: [UInt8]

    /// A white picture.
    public init(width: Int, height: Int) {
        self.width = max(0, width)
        self.height = max(0, height)
        bytes = [UInt8](repeating: 0, count: self.height * ((self.width + 7) / 8))
    }

    /// The rows of a picture as printers have them; missing bytes are white, and more than the
    /// picture has are left out.
    public init(width: Int, height: Int, bytes: some Sequence<UInt8>) {
        self.init(width: width, height: height)
        for (index, byte) in zip(self.bytes.indices, bytes) { self.bytes[index] = byte }
    }

    public var bytesPerRow: Int { (width + 7) / 8 }

    /// Whether the dot is black. Outside the picture all is white, and stays so.
    public subscript(x: Int, y: Int) -> Bool {
        get {
            guard (0..<width).contains(x), (0..<height).contains(y) else { return false }
            let byte = bytes[y * bytesPerRow + x / 8]
            return byte & Self.mask(x) != 0
        }
        set {
            guard (0..<width).contains(x), (0..<height).contains(y) else { return }
            let index = y * bytesPerRow + x / 8
            bytes[index] = newValue ? bytes[index] | Self.mask(x) : bytes[index] & ~Self.mask(x)
        }
    }

    private static func mask(_ x: Int) -> UInt8 { 0x80 >> UInt8(truncatingIfNeeded: x % 8) }

    /// The bytes of a row; none outside the picture.
    public func row(_ y: Int) -> [UInt8] {
        guard (0..<height).contains(y) else { return [] }
        return Array(bytes[y * bytesPerRow..<(y + 1) * bytesPerRow])
    }

    /// Draws the black dots of the other picture, each `scale` dots wide and high, with its upper
    /// left corner at the place.
    public mutating func draw(_ other: Bitmap, x: Int, y: Int, scale: (width: Int, height: Int) = (1, 1)) {
        for row in 0..<other.height {
            for column in 0..<other.width where other[column, row] {
                fill(x: x + column * scale.width, y: y + row * scale.height, width: scale.width, height: scale.height)
            }
        }
    }

    /// Blackens a rectangle, as far as it is in the picture.
    public mutating func fill(x: Int, y: Int, width: Int, height: Int) {
        for row in Self.dots(from: y, height, of: self.height) {
            for column in Self.dots(from: x, width, of: self.width) { self[column, row] = true }
        }
    }

    /// Swaps black and white in a rectangle, as far as it is in the picture.
    public mutating func invert(x: Int, y: Int, width: Int, height: Int) {
        for row in Self.dots(from: y, height, of: self.height) {
            for column in Self.dots(from: x, width, of: self.width) { self[column, row].toggle() }
        }
    }

    /// Those of `count` dots that are within the first `limit`.
    private static func dots(from start: Int, _ count: Int, of limit: Int) -> Range<Int> {
        let (end, isBeyond) = start.addingReportingOverflow(max(0, count))
        let first = min(max(0, start), limit)
        // ordered: the end is at least the start
        return first..<max(first, isBeyond ? limit : min(end, limit))
    }

    /// The picture in the middle of a wider one.
    func centred(in width: Int) -> Bitmap {
        var wide = Bitmap(width: width, height: height)
        wide.draw(self, x: max(0, (width - self.width) / 2), y: 0)
        return wide
    }

    /// The rows in parts of that many, the last one filled with white rows up to a multiple of 8.
    func bands(ofHeight count: Int) -> [Bitmap] {
        stride(from: 0, to: height, by: count).map { start in
            let rows = min(count, height - start)
            return Bitmap(
                width: width, height: (rows + 7) / 8 * 8,
                bytes: bytes[start * bytesPerRow..<(start + rows) * bytesPerRow])
        }
    }

    /// Column by column, three bytes each, the top bit uppermost: of the first 24 rows.
    var columnsOf24: [UInt8] {
        (0..<width).flatMap { x in
            (0..<3).map { part in
                (0..<8).reduce(0 as UInt8) { byte, bit in byte << 1 | (self[x, part * 8 + bit] ? 1 : 0) }
            }
        }
    }
}
