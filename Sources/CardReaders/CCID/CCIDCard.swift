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
    static let timeout = Duration.seconds(3)
    /// The most. A card that takes all the time between characters that it may would need four minutes; the reader ends that long before.
    static let maximumTimeout = Duration.seconds(15)

    init(slot: Int, answerToReset: [UInt8], _ parameters: CardParameters, clock: Int) {
        self.slot = slot
        self.answerToReset = answerToReset
        self.parameters = parameters
        timing = CardTiming(parameters, clock: clock == 0 ? 4000 : clock)
        blocks = T1Exchange(parameters)
    }

    /// Tells a T=1 card how long the blocks are that the reader takes, where the reader leaves that to us.
    mutating func offerFieldSize(_ link: any CCIDLink) throws(CardChannelError) {
        guard parameters.transmissionProtocol == .t1, link.descriptor.isDrivenByHost, !link.descriptor.features.contains(.automaticIFSD)
        else { return }
        var blocks = blocks
        defer { self.blocks = blocks }
        let limit = Deadline.after(CCIDBulkLink.longestExchange)
        // fits: a descriptor has 1 to 254 here, or 254
        try blocks.offer(fieldSize: UInt8(link.descriptor.largestFieldSize)) { block, times throws(CardChannelError) in
            try sendBlock(block, times: times, link: link, limit: limit)
        }
    }

    /// However many exchanges with the reader it takes, they end with the same deadline.
    mutating func transmit(_ command: CommandAPDU, _ link: any CCIDLink) throws(CardChannelError) -> ResponseAPDU {
        let limit = Deadline.after(CCIDBulkLink.longestExchange)
        let bytes: [UInt8]
        switch (link.descriptor.level, parameters.transmissionProtocol) {
        case (.extendedAPDU, _): bytes = try sendAPDU(command.bytes, link, limit)
        case (.shortAPDU, _):
            guard command.data.count <= 255, (command.expectedLength ?? 0) <= 256 else {
                throw .readerFailed(.shortCommandsOnly)
            }
            bytes = try exchange(.transfer(command.bytes, waitingTimes: 0, level: 0), timeout: Self.timeout, link: link, limit: limit).data
        case (.tpdu, .t0):
            let timeout = max(Self.timeout, timing.command)
            bytes = try exchange(.transfer(try command.t0(), waitingTimes: 0, level: 0), timeout: timeout, link: link, limit: limit).data
        case (.character, .t0): bytes = try sendCharacters(try command.t0(), link, limit)
        case (.tpdu, .t1), (.character, .t1):
            var blocks = blocks
            defer { self.blocks = blocks }
            bytes = try blocks.transmit(command.bytes) { block, times throws(CardChannelError) in
                try sendBlock(block, times: times, link: link, limit: limit)
            }
        }
        guard let response = ResponseAPDU(bytes: bytes) else { throw .malformedAnswer(.noStatusWord) }
        return response
    }

    /// Lets the reader take a PIN and send it to the card.
    ///
    /// - Returns: The card's status, or 6400 and 6401 where no PIN was entered in time and where the cardholder cancelled.
    mutating func enterPIN(_ entry: PINPadEntry, _ link: any CCIDLink) throws(CardChannelError) -> StatusWord {
        let limit = Deadline.after(entry.answerTimeout)
        let isInBlocks = link.descriptor.level == .tpdu && parameters.transmissionProtocol == .t1
        var blocks = blocks
        defer { self.blocks = blocks }
        let wire: T1Exchange.Link = { block, times throws(CardChannelError) in try sendBlock(block, times: times, link: link, limit: limit)
        }
        let prologue = isInBlocks ? try blocks.prologue(length: entry.command.count, wire) : [0, 0, 0]
        let answer = try status(
            .secure(entry.bytes(prologue: prologue), waitingTimes: 0, level: 0), timeout: entry.answerTimeout, link: link, limit: limit)
        var bytes = answer.data
        switch answer.result {
        case .failed(CCIDError.pinTimeout.code): return CCIDPINPad.timedOut
        case .failed(CCIDError.pinCancelled.code): return CCIDPINPad.cancelled
        case .failed(CCIDError.mute.code) where isInBlocks: bytes = try blocks.answer(toFilledIn: .silence, wire)
        case .failed(let code): throw CardChannelError(CCIDError(code))
        case .done, .moreTime: if isInBlocks { bytes = try blocks.answer(toFilledIn: .bytes(bytes), wire) }
        }
        guard let response = ResponseAPDU(bytes: bytes) else { throw .malformedAnswer(.noStatusWord) }
        return response.status
    }

    // MARK: Levels

    /// A whole APDU, in parts where it is longer than the reader's messages (USB CCID 1.1, 6.1.4 and 6.2.1).
    private func sendAPDU(_ command: [UInt8], _ link: any CCIDLink, _ limit: Deadline) throws(CardChannelError) -> [UInt8] {
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
            answer = try exchange(.transfer(part, waitingTimes: 0, level: level.rawValue), timeout: Self.timeout, link: link, limit: limit)
            // An answer with data before the command's end is the card's refusal.
        } while !rest.isEmpty && answer.data.isEmpty
        var collected = answer.data
        // bChainParameter: 1 begins, 3 goes on.
        while answer.parameter == 1 || answer.parameter == 3 {
            guard collected.count <= 65538 else { throw .malformedAnswer(.tooLong(maximum: 65538)) }
            answer = try exchange(
                .transfer([], waitingTimes: 0, level: CCIDCommand.Chaining.wantsMore.rawValue), timeout: Self.timeout, link: link,
                limit: limit)
            guard !answer.data.isEmpty else { throw .malformedAnswer(.emptyPart) }
            collected += answer.data
        }
        return collected
    }

    private func sendBlock(
        _ block: [UInt8], times: Int, link: any CCIDLink, limit: Deadline
    ) throws(CardChannelError) -> T1Exchange.Reception {
        let timeout = max(Self.timeout, timing.block * times)
        let waitingTimes = UInt8(clamping: times)
        guard link.descriptor.level == .character else {
            return try reception(.transfer(block, waitingTimes: waitingTimes, level: 0), timeout: timeout, link: link, limit: limit)
        }
        // The first three bytes say how many follow.
        let first = try reception(.transfer(block, waitingTimes: waitingTimes, level: 3), timeout: timeout, link: link, limit: limit)
        guard case .bytes(let head) = first, head.count == 3 else { return first }
        let width: UInt16 = parameters.checksum == .lrc ? 1 : 2
        let rest = CCIDCommand.transfer([], waitingTimes: waitingTimes, level: UInt16(head[2]) + width)
        guard case .bytes(let tail) = try reception(rest, timeout: timeout, link: link, limit: limit) else { return .damaged }
        return .bytes(head + tail)
    }

    /// What came for a block, where a card that does not answer is a matter of T=1's own.
    private func reception(
        _ command: CCIDCommand, timeout: Duration, link: any CCIDLink, limit: Deadline
    ) throws(CardChannelError) -> T1Exchange.Reception {
        let answer = try status(command, timeout: timeout, link: link, limit: limit)
        guard case .failed(let code) = answer.result else { return .bytes(answer.data) }
        switch CCIDError(code) {
        case .mute: return .silence
        case .parity, .overrun: return .damaged
        default: throw CardChannelError(CCIDError(code))
        }
    }

    /// T=0 character by character: header, then as the card's procedure bytes want it (ISO/IEC 7816-3:2006, 10.3.3).
    private func sendCharacters(
        _ command: [UInt8], _ link: any CCIDLink, _ limit: Deadline
    ) throws(CardChannelError) -> [UInt8] {
        let timeout = max(Self.timeout, timing.command)
        var machine = T0Exchange(command)
        var step = machine.start
        while true {
            switch step {
            case .send(let bytes, let wanted):
                // fits: T=0 wants at most 258 bytes at a time
                let transfer = CCIDCommand.transfer(bytes, waitingTimes: 0, level: UInt16(wanted))
                step = try machine.take(try exchange(transfer, timeout: timeout, link: link, limit: limit).data)
            case .done(let answer): return answer
            }
        }
    }

    // MARK: Exchange

    private func exchange(
        _ command: CCIDCommand, timeout: Duration, link: any CCIDLink, limit: Deadline
    ) throws(CardChannelError) -> CCIDAnswer {
        let answer = try status(command, timeout: timeout, link: link, limit: limit)
        if case .failed(let code) = answer.result { throw CardChannelError(CCIDError(code)) }
        return answer
    }

    /// An answer with the card still in its place.
    private func status(
        _ command: CCIDCommand, timeout: Duration, link: any CCIDLink, limit: Deadline
    ) throws(CardChannelError) -> CCIDAnswer {
        let answer: CCIDAnswer
        do throws(DeviceError) {
            answer = try link.exchange(command, slot: slot, timeout: timeout, limit: limit)
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
