extension AnswerToReset {
    public enum Reset: Sendable { case cold, warm }

    /// Whether EMV accepts an answer to reset. A terminal answers an invalid one with a warm reset;
    /// after a warm reset it rejects the card (EMV Contact Interface Specification, "Answer to
    /// Reset"; the rules are those of EMV 4.3 Book 1, 8.3).
    public func emvParameters(after reset: Reset) throws(AnswerToResetError) -> CardParameters {
        try checkLength()
        let first = interfaceBytes[0]
        let second = interfaceBytes.count > 1 ? interfaceBytes[1] : nil
        let third = interfaceBytes.count > 2 ? interfaceBytes[2] : nil

        // TD1 and TD2: T=0, or T=1, or T=0 and then T=1 or T=14.
        guard let spoken = CardParameters.TransmissionProtocol(rawValue: first.protocolNumber ?? 0) else {
            throw .interfaceByte(.td1, first.td)
        }
        if let next = second?.protocolNumber {
            guard next == 1 || (next == 14 && spoken == .t0) else { throw .interfaceByte(.td2, second?.td) }
        }
        // No programming voltage. After a warm reset TB1 does not matter.
        if reset == .cold && first.tb != 0 { throw .interfaceByte(.tb1, first.tb) }
        if let tb2 = second?.tb { throw .interfaceByte(.tb2, tb2) }
        // The terminal uses the default waiting time of a T=0 card, 10.
        if let tc2 = second?.tc, tc2 != 0x0A { throw .interfaceByte(.tc2, tc2) }
        try checkBitRate(first.ta, mode: second?.ta, spoken)
        if spoken == .t1 { try checkBlocks(third, extraGuardTime: first.tc) }
        guard let parameters = CardParameters(self, requested: spoken) else { throw .interfaceByte(.td1, first.td) }
        return parameters
    }

    /// IFSC, waiting times and check bytes of T=1.
    private func checkBlocks(_ third: InterfaceBytes?, extraGuardTime tc1: UInt8?) throws(AnswerToResetError) {
        let size = third?.ta ?? 0x20
        guard (0x10...0xFE).contains(size) else { throw .interfaceByte(.ta3, size) }
        if let tc3 = third?.tc, tc3 != 0 { throw .interfaceByte(.tc3, tc3) }
        guard let waiting = third?.tb else { throw .interfaceByte(.tb3, nil) }
        let (character, block) = (Int(waiting & 0x0F), Int(waiting >> 4))
        // FF means eleven units between characters instead of twelve.
        let extra = tc1 == 0xFF ? -1 : Int(tc1 ?? 0)
        guard character <= 5, block <= 4, 1 << character > extra + 1 else { throw .interfaceByte(.tb3, waiting) }
    }

    /// EMV allows at most 32 bytes.
    private func checkLength() throws(AnswerToResetError) {
        let interface = interfaceBytes.reduce(0) { count, bytes in
            count + [bytes.ta, bytes.tb, bytes.tc, bytes.td].count { $0 != nil }
        }
        let check = interfaceBytes.contains { ($0.protocolNumber ?? 0) != 0 } ? 1 : 0
        let count = 2 + interface + historicalBytes.count + check
        guard count <= 32 else { throw .tooLong(count) }
    }

    /// TA1 applies in specific mode only (TA2 present): every terminal must support its value, and
    /// TA2 must name the card's first protocol.
    private func checkBitRate(
        _ ta1: UInt8?, mode ta2: UInt8?, _ spoken: CardParameters.TransmissionProtocol
    ) throws(AnswerToResetError) {
        guard let ta2 else { return }
        guard ta2 & 0x0F == spoken.rawValue, ta2 & 0x10 == 0 else { throw .interfaceByte(.ta2, ta2) }
        guard [nil, 0x11, 0x12, 0x13].contains(ta1) else { throw .interfaceByte(.ta1, ta1) }
    }
}
