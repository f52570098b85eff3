private import CZlib

extension Bitmap {
    /// The picture as a file: PNG (ISO/IEC 15948), one bit of grayscale a dot.
    public var png: [UInt8] {
        // Each row begins with its filter: 0 for none. In a file, 1 is white.
        let rows = (0..<height).flatMap { y -> [UInt8] in [0] + row(y).map { byte in ~byte } }
        let header = Self.bigEndian(UInt32(clamping: width)) + Self.bigEndian(UInt32(clamping: height))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + Self.chunk("IHDR", header + [1, 0, 0, 0, 0]) + Self.chunk("IDAT", Self.packed(rows))
            + Self.chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        let checksum = unsafe crc32(0, named, uInt(clamping: named.count))
        return bigEndian(UInt32(clamping: content.count)) + named + bigEndian(UInt32(clamping: checksum))
    }

    private static func packed(_ bytes: [UInt8]) -> [UInt8] {
        let count = uLong(clamping: bytes.count)
        var length = compressBound(count)
        var packed = [UInt8](repeating: 0, count: Int(clamping: length))
        let status = unsafe compress2(&packed, &length, bytes, count, Z_BEST_COMPRESSION)
        precondition(status == Z_OK, "zlib is out of memory")
        return Array(packed.prefix(Int(clamping: length)))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
