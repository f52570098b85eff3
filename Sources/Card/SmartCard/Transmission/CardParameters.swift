/// The transmission parameters of a card: those of its answer to reset, or those negotiated after
/// it.
public struct CardParameters: Sendable, Equatable {
    public enum TransmissionProtocol: UInt8, Sendable {
        case t0 = 0
        case t1 = 1
    }

    public enum Checksum: Sendable, Equatable {
        /// One byte, the exclusive or.
        case lrc
        /// Two bytes, the cyclic redundancy check of ISO/IEC 13239.
        case crc
    }

    public var transmissionProtocol: TransmissionProtocol
    public var rate: BitRate
    public var convention: AnswerToReset.Convention
    /// N, the value of TC1: 255 has a special meaning (ISO/IEC 7816-3:2006, 8.3).
    public var extraGuardTime: Int
    /// WI, for T=0.
    public var waitingInteger: Int
    /// BWI and CWI, for T=1.
    public var blockWaitingInteger: Int
    public var characterWaitingInteger: Int
    /// IFSC, the maximum information field size in bytes that the card accepts in a T=1 block.
    public var informationFieldSize: Int
    public var checksum: Checksum
    /// Clock stop indicator, bits 8 and 7 of TA for T=15.
    public var clockStop: UInt8

    /// For T=0, TC1 and TC2 apply; for T=1 the first TA, TB and TC from i = 3 on that belong to it
    /// (ISO/IEC 7816-3:2006, 10.2 and 11.4).
    ///
    /// - Parameters:
    ///   - requested: The protocol to use; nil for the one in TA2, or else the card's first.
    /// - Returns: Nil if the card offers neither T=0 nor T=1, or not `requested`.
    public init?(_ answer: AnswerToReset, requested: TransmissionProtocol? = nil) {
        let offered = answer.specificProtocol.map { [$0] } ?? answer.protocols
        let spoken = requested ?? offered.lazy.compactMap(TransmissionProtocol.init).first
        guard let spoken, offered.contains(spoken.rawValue) else { return nil }
        transmissionProtocol = spoken
        convention = answer.convention
        let groups = answer.interfaceBytes
        // In specific mode TA1 applies at once, unless TA2 says that the rate is implicit.
        let mode = groups.count > 1 ? groups[1].ta : nil
        rate = mode.flatMap { $0 & 0x10 == 0 ? groups[0].ta.flatMap(BitRate.init) : nil } ?? .initial
        extraGuardTime = Int(groups[0].tc ?? 0)
        waitingInteger = groups.count > 1 ? Int(groups[1].tc ?? 0x0A) : 0x0A
        if waitingInteger == 0 { waitingInteger = 0x0A }
        let later = groups.indices.dropFirst(2)
        func first(_ number: UInt8, _ byte: KeyPath<AnswerToReset.InterfaceBytes, UInt8?>) -> UInt8? {
            later.lazy.filter { groups[$0 - 1].protocolNumber == number }.compactMap { groups[$0][keyPath: byte] }.first
        }
        let size = first(1, \.ta) ?? 0x20
        informationFieldSize = size == 0 || size == 0xFF ? 0x20 : Int(size)
        let waiting = first(1, \.tb) ?? 0x4D
        blockWaitingInteger = min(9, Int(waiting >> 4))
        characterWaitingInteger = Int(waiting & 0x0F)
        checksum = (first(1, \.tc) ?? 0) & 0x01 == 0 ? .lrc : .crc
        clockStop = (first(15, \.ta) ?? 0) >> 6
    }
}
