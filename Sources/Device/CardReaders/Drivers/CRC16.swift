/// The CRC-16 with the polynomial 1021 (ITU-T V.41), high bit first. Several makers use it, with
/// different initial values.
enum CRC16 {
    /// - Parameter start: The initial value.
    static func check(_ bytes: some Sequence<UInt8>, from start: UInt16) -> UInt16 {
        bytes.reduce(start) { value, byte in
            (0..<8).reduce(value ^ UInt16(byte) << 8) { value, _ in
                value & 0x8000 != 0 ? value << 1 ^ 0x1021 : value << 1
            }
        }
    }
}
