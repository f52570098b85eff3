extension AESKey {
    /// Counter mode over one message (EMV 4.4 Book 2, A1.1.3; EMV Contactless Book E, 8.6.2): the
    /// same in both directions.
    ///
    /// - Parameter counter: The message's number, the first two bytes of the starting variable;
    ///   zeros follow.
    func counterMode(_ data: [UInt8], counter: UInt16) -> [UInt8] {
        let start = [UInt8(truncatingIfNeeded: counter >> 8), UInt8(counter & 0xFF)] + [UInt8](repeating: 0, count: 12)
        var result = data
        for offset in stride(from: 0, to: data.count, by: 16) {
            let number = offset / 16
            // A message of a card command has few blocks, so two bytes are enough to number them.
            let index = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
            let stream = encryptBlocks(start + index)
            for position in offset..<min(offset + 16, data.count) { result[position] ^= stream[position - offset] }
        }
        return result
    }
}
