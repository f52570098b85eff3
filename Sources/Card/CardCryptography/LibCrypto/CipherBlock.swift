/// A block of a cipher as a number, most significant byte first: 8 bytes of DES, 16 of AES.
typealias CipherBlock = BitwiseCopyable & FixedWidthInteger & UnsignedInteger

extension Span<UInt8> {
    /// The block from `start` on, most significant byte first, with zeros after the last byte.
    func block<Block: CipherBlock>(from start: Int) -> Block {
        let size = Block.bitWidth / 8
        guard count - start < size else { return unsafe Block(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: start, as: Block.self)) }
        return (0..<size).reduce(0) { $0 << 8 | (start + $1 < count ? Block(self[start + $1]) : 0) }
    }
}

extension Array where Element == UInt8 {
    /// The bytes of `number`, most significant first.
    init(bigEndian number: some CipherBlock) {
        self = unsafe Swift.withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
    }
}
