/// Half bytes combined in pairs, the high one first. Their number must be even.
func packNibbles(_ nibbles: [UInt8]) -> [UInt8] {
    stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
}

/// The half bytes of `bytes`, the high one of each first.
func unpackNibbles(_ bytes: Span<UInt8>) -> [UInt8] {
    bytes.indices.flatMap { [bytes[$0] >> 4, bytes[$0] & 0x0F] }
}
