extension ResponseAPDU {
    /// What a card sends over a transmission protocol that passes whole commands: an answer longer
    /// than the command allows becomes `6Cxx` (ISO/IEC 7816-4:2005, 5.1.3); a command without a
    /// length gets the whole answer.
    package func bytes(fitting command: CommandAPDU) -> [UInt8] {
        guard let expected = command.expectedLength, expected < data.count else { return bytes }
        return data.count <= 256 ? [0x6C, UInt8(truncatingIfNeeded: data.count)] : [0x67, 0x00]
    }
}
