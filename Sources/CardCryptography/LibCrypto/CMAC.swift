internal import Bytes

/// The mode of NIST SP 800-38B over a block cipher in CBC mode.
enum CMAC {
    /// - Parameters:
    ///   - blockSize: 8 or 16.
    ///   - encrypt: CBC from a zero block, over whole blocks.
    static func code(over data: Span<UInt8>, blockSize: Int, _ encrypt: (Span<UInt8>) -> [UInt8]) -> [UInt8] {
        let zero = [UInt8](repeating: 0, count: blockSize)
        var subkey = doubled(encrypt(zero.span))
        let isWhole = data.count > 0 && data.count.isMultiple(of: blockSize)
        if !isWhole { subkey = doubled(subkey) }
        let count = isWhole ? data.count : (data.count / blockSize + 1) * blockSize
        var message: [UInt8] = []
        message.reserveCapacity(count)
        for index in data.indices { message.append(data[index]) }
        if !isWhole {
            message.append(0x80)
            message.append(contentsOf: repeatElement(0, count: count - message.count))
        }
        for index in 0..<blockSize { message[count - blockSize + index] ^= subkey[index] }
        defer { wipe(&message) }
        return Array(encrypt(message.span).suffix(blockSize))
    }

    /// Twice `block` in the field of its size (6.1): shifted by a bit, and reduced by 1B or 87.
    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        var result = block
        var carry: UInt8 = 0
        for index in block.indices.reversed() {
            result[index] = block[index] << 1 | carry
            carry = block[index] >> 7
        }
        if carry == 1 { result[block.count - 1] ^= block.count == 8 ? 0x1B : 0x87 }
        return result
    }
}
