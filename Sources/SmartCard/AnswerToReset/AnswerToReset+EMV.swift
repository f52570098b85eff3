/// How a terminal goes on after an answer to reset that EMV takes (EMV Contact Interface Specification, "Answer to Reset"; the rules are those that
/// EMV 4.3 Book 1, 8.3 has).
public struct TransmissionParameters: Sendable, Equatable {
    public enum TransmissionProtocol: UInt8, Sendable {
        case t0 = 0
        case t1 = 1
    }

    public let transmissionProtocol: TransmissionProtocol
    /// D, 1, 2 or 4, with F = 372.
    public let bitRateAdjustment: Int
    /// N, in elementary time units on top of the 12 between characters; -1 where T=1 may do with 11.
    public let extraGuardTime: Int
    /// IFSC, the most bytes of a block that the card takes; for T=1.
    public let informationFieldSize: Int
    /// CWI and BWI, for T=1.
    public let characterWaitingInteger: Int
    public let blockWaitingInteger: Int
}

extension AnswerToReset {
    public enum Reset: Sendable { case cold, warm }

    /// What EMV makes of the answer. After a cold reset an answer that is refused leads to a warm one, after a warm reset to the card's rejection.
    public func transmissionParameters(after reset: Reset) throws(AnswerToResetError) -> TransmissionParameters {
        try checkLength()
        let first = interfaceBytes[0]
        let second = interfaceBytes.count > 1 ? interfaceBytes[1] : nil
        let third = interfaceBytes.count > 2 ? interfaceBytes[2] : nil

        // TD1 and TD2: T=0, or T=1, or T=0 and then T=1 or T=14.
        let number = first.protocolNumber ?? 0
        guard let spoken = TransmissionParameters.TransmissionProtocol(rawValue: number) else {
            throw .interfaceByte(.td1, first.td)
        }
        if let next = second?.protocolNumber {
            guard next == 1 || (next == 14 && spoken == .t0) else { throw .interfaceByte(.td2, second?.td) }
        }
        // No programming voltage. After a warm reset TB1 does not matter.
        if reset == .cold && first.tb != 0 { throw .interfaceByte(.tb1, first.tb) }
        if let tb2 = second?.tb { throw .interfaceByte(.tb2, tb2) }
        // The terminal waits for a T=0 card as long as the default, 10, says.
        if let tc2 = second?.tc, tc2 != 0x0A { throw .interfaceByte(.tc2, tc2) }

        let adjustment = try bitRateAdjustment(first.ta, mode: second?.ta, spoken)
        let isSilent = first.tc == 0xFF
        let extra = isSilent ? (spoken == .t1 ? -1 : 0) : Int(first.tc ?? 0)
        guard spoken == .t1 else {
            return TransmissionParameters(
                transmissionProtocol: .t0, bitRateAdjustment: adjustment, extraGuardTime: extra, informationFieldSize: 32,
                characterWaitingInteger: 0, blockWaitingInteger: 0)
        }
        let size = third?.ta ?? 0x20
        guard (0x10...0xFE).contains(size) else { throw .interfaceByte(.ta3, size) }
        if let tc3 = third?.tc, tc3 != 0 { throw .interfaceByte(.tc3, tc3) }
        guard let waiting = third?.tb else { throw .interfaceByte(.tb3, nil) }
        let (character, block) = (Int(waiting & 0x0F), Int(waiting >> 4))
        guard character <= 5, block <= 4, 1 << character > extra + 1 else { throw .interfaceByte(.tb3, waiting) }
        return TransmissionParameters(
            transmissionProtocol: .t1, bitRateAdjustment: adjustment, extraGuardTime: extra, informationFieldSize: Int(size),
            characterWaitingInteger: character, blockWaitingInteger: block)
    }

    /// EMV's answers have at most 32 bytes.
    private func checkLength() throws(AnswerToResetError) {
        let interface = interfaceBytes.reduce(0) { count, bytes in
            count + [bytes.ta, bytes.tb, bytes.tc, bytes.td].count { $0 != nil }
        }
        let check = interfaceBytes.contains { ($0.protocolNumber ?? 0) != 0 } ? 1 : 0
        let count = 2 + interface + historicalBytes.count + check
        guard count <= 32 else { throw .tooLong(count) }
    }

    /// TA1 counts in specific mode only, TA2 being there: it must then be one that every terminal has, and TA2 name the card's first protocol.
    private func bitRateAdjustment(
        _ ta1: UInt8?, mode ta2: UInt8?, _ spoken: TransmissionParameters.TransmissionProtocol
    ) throws(AnswerToResetError) -> Int {
        guard let ta2 else { return 1 }
        guard ta2 & 0x0F == spoken.rawValue, ta2 & 0x10 == 0 else { throw .interfaceByte(.ta2, ta2) }
        switch ta1 {
        case nil, 0x11: return 1
        case 0x12: return 2
        case 0x13: return 4
        default: throw .interfaceByte(.ta1, ta1)
        }
    }
}
