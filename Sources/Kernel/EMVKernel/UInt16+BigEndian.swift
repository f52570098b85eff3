extension UInt16 {
    /// Two bytes, the most significant first.
    package var bigEndianBytes: [UInt8] { [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)] }
}
