import SmartCard

/// The answer to reset that a reader constructs for a contactless card: `3B 8n 80 01`, historical
/// bytes and a check byte (PC/SC part 3, 3.1.3.2.3). A contact card with T=0 and T=1 may have the
/// same answer; no payment card does, because EMV requires TB1.
package struct ContactlessAnswerToReset: Hashable, Sendable {
    package enum Card: Hashable, Sendable {
        /// ISO/IEC 14443-4: for type A the historical bytes of the answer to select; for type B 4
        /// bytes of application data, 3 of protocol information, and MBLI in the upper half of one
        /// more byte.
        case transmissionProtocol(historicalBytes: [UInt8])
        /// A storage card: its standard and its name, as PC/SC codes.
        case storage(standard: UInt8, name: UInt16)
    }

    package let card: Card

    /// RID of the PC/SC workgroup in a discretionary object of a storage card's historical bytes.
    private static let storage: [UInt8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]

    /// Nil for any other answer to reset.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[0] == 0x3B, bytes[1] & 0xF0 == 0x80, bytes[2...3] == [0x80, 0x01],
            let answer = try? AnswerToReset(parsing: bytes)
        else { return nil }
        let historical = answer.historicalBytes
        guard historical.starts(with: Self.storage), historical.count >= 11 else {
            card = .transmissionProtocol(historicalBytes: historical)
            return
        }
        card = .storage(standard: historical[8], name: UInt16(historical[9]) << 8 | UInt16(historical[10]))
    }
}
