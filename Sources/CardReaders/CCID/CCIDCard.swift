internal import DeviceIO
internal import SmartCard

/// A card under power, spoken to at the reader's level of exchange.
struct CCIDCard {
    let slot: Int
    let answerToReset: [UInt8]
    let parameters: CardParameters
    private let timing: CardTiming
    private var blocks: T1Exchange

    /// The least that a reader is given for an answer.
    static let patience = Duration.seconds(3)
    /// The most. A card that takes all the time between characters that it may would need four minutes; the reader ends that long before.
    static let longestPatience = Duration.seconds(15)

    init(slot: Int, answerToReset: [UInt8], _ parameters: CardParameters, clock: Int) {
        self.slot = slot
        self.answerToReset = answerToReset
        self.parameters = parameters
        timing = CardTiming(parameters, clock: clock == 0 ? 4000 : clock)
        blocks = T1Exchange(parameters)
    }

    /// Tells a T=1 card how long the blocks are that the reader takes, where the reader leaves that to us.
    mutating func offerFieldSize(_ link: CCIDLink) throws(CardChannelError) {
        guard parameters.transmissionProtocol == .t1, link.descriptor.isDrivenByHost, !link.descriptor.features.contains(.automaticIFSD)
        else { return }
        var blocks = blocks
        try blocks.offer(fieldSize: UInt8(link.descriptor.largestFieldSize)) { block, times throws(CardChannelError) in
            try sendBlock(block, times, link)
        }
        self.blocks = blocks
    }

    mutating func transmit(_ command: CommandAPDU, _ link: CCIDLink) throws(CardChannelError) -> ResponseAPDU {
        let bytes: [UInt8]
        switch (link.descriptor.level, parameters.transmissionProtocol) {
        case (.extendedAPDU, _): bytes = try sendAPDU(command.bytes, link)
        case (.shortAPDU, _):
            guard command.bytes.count <= 261 else { throw .readerFailed("the reader takes short commands only") }
            bytes = try send(command.bytes, patience: Self.patience, link)
        case (.tpdu, .t0): bytes = try send(try command.t0(), patience: min(max(Self.patience, timing.command), Self.longestPatience), link)
        case (.character, .t0): bytes = try sendCharacters(try command.t0(), link)
        case (.tpdu, .t1), (.character, .t1):
            var blocks = blocks
            bytes = try blocks.transmit(command.bytes) { block, times throws(CardChannelError) in try sendBlock(block, times, link) }
            self.blocks = blocks
        }
        guard let response = ResponseAPDU(bytes: bytes) else { throw .malformedAnswer("\(bytes.count) bytes, no status word") }
        return response
    }

    // MARK: Levels

    /// A whole APDU, in parts where it is longer than the reader's messages (USB CCID 1.1, 6.1.4 and 6.2.1).
    private func sendAPDU(_ command: [UInt8], _ link: CCIDLink) throws(CardChannelError) -> [UInt8] {
        let room = link.descriptor.largestMessage - 10
        var rest = command[...]
        var answer: CCIDAnswer
        repeat {
            let part = Array(rest.prefix(room))
            rest = rest.dropFirst(room)
            let isFirst = part.count + rest.count == command.count
            let level: CCIDCommand.Chaining =
                switch (isFirst, rest.isEmpty) {
                case (true, true): .whole
                case (true, false): .begins
                case (false, false): .goesOn
                case (false, true): .ends
                }
            answer = try exchange(.transfer(part, waitingTimes: 0, level: level.rawValue), patience: Self.patience, link)
        } while !rest.isEmpty
        var collected = answer.data
        // bChainParameter: 1 begins, 3 goes on.
        while answer.parameter == 1 || answer.parameter == 3 {
            guard collected.count <= 65538 else { throw .malformedAnswer("more than 64 KiB") }
            answer = try exchange(
                .transfer([], waitingTimes: 0, level: CCIDCommand.Chaining.wantsMore.rawValue), patience: Self.patience, link)
            guard !answer.data.isEmpty else { throw .malformedAnswer("an empty part of a chained answer") }
            collected += answer.data
        }
        return collected
    }

    private func send(_ bytes: [UInt8], patience: Duration, _ link: CCIDLink) throws(CardChannelError) -> [UInt8] {
        try exchange(.transfer(bytes, waitingTimes: 0, level: 0), patience: patience, link).data
    }

    private func sendBlock(_ block: [UInt8], _ times: Int, _ link: CCIDLink) throws(CardChannelError) -> T1Exchange.Reception {
        let isCharacterLevel = link.descriptor.level == .character
        let patience = min(max(Self.patience, timing.block * times), Self.longestPatience * times)
        let command = CCIDCommand.transfer(block, waitingTimes: UInt8(clamping: times), level: isCharacterLevel ? 3 : 0)
        let answer = try status(command, patience: patience, link)
        switch answer.result {
        case .failed(CCIDError.mute.code): return .silence
        case .failed(CCIDError.parity.code), .failed(CCIDError.overrun.code): return .damaged
        case .failed(let code): throw .malformedAnswer("\(CCIDError(code))")
        case .done, .moreTime: break
        }
        guard isCharacterLevel, answer.data.count == 3 else { return .bytes(answer.data) }
        // The first three bytes say how many follow.
        let width = parameters.checksum == .lrc ? 1 : 2
        let rest = try exchange(
            .transfer([], waitingTimes: UInt8(clamping: times), level: UInt16(Int(answer.data[2]) + width)), patience: patience, link)
        return .bytes(answer.data + rest.data)
    }

    /// T=0 character by character: header, then as the card's procedure bytes want it (ISO/IEC 7816-3:2006, 10.3.3).
    private func sendCharacters(_ command: [UInt8], _ link: CCIDLink) throws(CardChannelError) -> [UInt8] {
        let patience = min(max(Self.patience, timing.command), Self.longestPatience)
        func characters(_ bytes: [UInt8], wanted: Int) throws(CardChannelError) -> [UInt8] {
            try exchange(.transfer(bytes, waitingTimes: 0, level: UInt16(wanted)), patience: patience, link).data
        }
        var machine = T0Exchange(command)
        var step = machine.start
        while true {
            switch step {
            case .send(let bytes, let wanted): step = try machine.take(try characters(bytes, wanted: wanted))
            case .done(let answer): return answer
            }
        }
    }

    // MARK: Exchange

    private func exchange(_ command: CCIDCommand, patience: Duration, _ link: CCIDLink) throws(CardChannelError) -> CCIDAnswer {
        let answer = try status(command, patience: patience, link)
        guard case .failed(let code) = answer.result else { return answer }
        switch CCIDError(code) {
        case .mute: throw .timedOut
        case .parity, .overrun, .procedureByteConflict: throw .malformedAnswer("\(CCIDError(code))")
        case .aborted: throw .cancelled
        default: throw .readerFailed("\(CCIDError(code))")
        }
    }

    /// An answer with the card still in its place.
    private func status(_ command: CCIDCommand, patience: Duration, _ link: CCIDLink) throws(CardChannelError) -> CCIDAnswer {
        let answer: CCIDAnswer
        do throws(DeviceError) {
            answer = try link.exchange(command, slot: slot, patience: patience)
        } catch {
            throw CardChannelError(error)
        }
        guard answer.card == .active else { throw .cardRemoved }
        return answer
    }
}

extension CCIDDescriptor {
    /// Whether protocol and parameters are ours to deal with.
    var isDrivenByHost: Bool { level == .tpdu || level == .character }
}
