/// The mode of NIST SP 800-38B over a block cipher whose blocks are numbers, most significant byte
/// first.
enum CMAC {
    /// - Parameters:
    ///   - subkey: The result of ``subkey(_:)``.
    ///   - encrypt: Encrypts one block under the key.
    static func code<Block: CipherBlock>(
        over data: Span<UInt8>, subkey: Block, _ encrypt: (Block) -> Block
    ) -> Block {
        let size = Block.bitWidth / 8
        var chain: Block = 0
        var start = 0
        while data.count - start > size {
            chain = encrypt(chain ^ data.block(from: start))
            start += size
        }
        let rest = data.count - start
        guard rest < size else { return encrypt(chain ^ data.block(from: start) ^ subkey) }
        return encrypt(chain ^ data.block(from: start) ^ marker(after: rest) ^ doubled(subkey))
    }

    /// K1, for whole blocks (6.1); the other subkey is derived from it.
    static func subkey<Block: CipherBlock>(_ encrypt: (Block) -> Block) -> Block { doubled(encrypt(0)) }

    /// Twice `block` in the field of its size (6.1): shifted by a bit, and reduced by 1B or 87.
    private static func doubled<Block: CipherBlock>(_ block: Block) -> Block {
        let reduction: Block = Block.bitWidth == 64 ? 0x1B : 0x87
        return block << 1 ^ (block.leadingZeroBitCount == 0 ? reduction : 0)
    }

    /// The byte 80 that follows `count` bytes in the last block.
    static func marker<Block: CipherBlock>(after count: Int) -> Block { 0x80 << (Block.bitWidth - 8 - 8 * count) }
}
