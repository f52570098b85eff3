/// ECB and CBC (NIST SP 800-38A, 6.1 and 6.2) over a block cipher.
enum CipherMode {
    /// - Parameters:
    ///   - blocks: Whole blocks.
    ///   - iv: A block for CBC, nil for ECB.
    ///   - cipher: Processes one block in the same direction.
    static func transform<Block: CipherBlock>(
        _ direction: BlockCipher.Direction, _ blocks: Span<UInt8>, iv: [UInt8]?, _ cipher: (Block) -> Block
    ) -> [UInt8] {
        let size = Block.bitWidth / 8
        precondition(blocks.count.isMultiple(of: size) && iv.map { $0.count == size } ?? true)
        var chain: Block? = iv?.span.block(from: 0)
        return unsafe [UInt8](unsafeUninitializedCapacity: blocks.count) { output, initialized in
            initialized = blocks.count
            let bytes = UnsafeMutableRawBufferPointer(output)
            for start in stride(from: 0, to: blocks.count, by: size) {
                let block: Block = blocks.block(from: start)
                let result: Block
                switch direction {
                case .encrypt:
                    result = cipher(block ^ (chain ?? 0))
                    if chain != nil { chain = result }
                case .decrypt:
                    result = cipher(block) ^ (chain ?? 0)
                    if chain != nil { chain = block }
                }
                unsafe bytes.storeBytes(of: result.bigEndian, toByteOffset: start, as: Block.self)
            }
        }
    }
}
