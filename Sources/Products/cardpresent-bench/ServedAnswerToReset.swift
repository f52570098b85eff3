/// The answers to reset of served cards: accepted by EMV (EMV Contact Interface Specification,
/// "Answer to Reset"), with historical bytes "CPVC1".
enum ServedAnswerToReset {
    /// TB1 and TC1 are `00`, and no protocol is named, which means T=0.
    static let t0: [UInt8] = [0x3B, 0x65, 0x00, 0x00] + historicalBytes
    /// T=1 with blocks of 254 bytes, a block waiting time of 4 and a character waiting time of 5;
    /// with the last byte, the exclusive or of all bytes from T0 on is zero.
    static let t1: [UInt8] = {
        let bytes: [UInt8] = [0xE5, 0x00, 0x00, 0x81, 0x31, 0xFE, 0x45] + historicalBytes
        return [0x3B] + bytes + [bytes.reduce(0, ^)]
    }()

    /// What a reader makes of a contactless card of type A (PC/SC part 3, 3.1.3.2.3):
    /// `3B 8n 80 01`, the historical bytes of the answer to select, and the exclusive or of all
    /// bytes from T0 on.
    static let contactless: [UInt8] = {
        let bytes: [UInt8] = [0x85, 0x80, 0x01] + historicalBytes
        return [0x3B] + bytes + [bytes.reduce(0, ^)]
    }()

    static let historicalBytes = Array("CPVC1".utf8)
}
