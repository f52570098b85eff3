internal import Bytes
internal import DeviceIO
internal import SmartCard

/// A powered card, used at the reader's level of exchange.
struct CCIDCard {
    let slot: Int
    let answerToReset: [UInt8]
    let parameters: CardParameters
    private let timing: CardTiming
    private var blocks: T1Exchange

    /// The shortest time limit for a reader's answer.
    static let timeout = Duration.seconds(3)
    /// The longest time limit. A card that used the maximum time between all characters would need
    /// four minutes; the reader stops it long before that.
    static let maximumTimeout = Duration.seconds(15)

    init(slot: Int, answerToReset: [UInt8], _ parameters: CardParameters, clock: Int) {
        self.slot = slot
        self.answerToReset = answerToReset
        self.parameters = parameters
        timing = CardTiming(parameters, clock: clock == 0 ? 4000 : clock)
        blocks = T1Exchange(parameters)
    }

    /// Tells a T=1 card the reader's maximum block length, if the reader leaves that to the host.
    mutating func offerFieldSize(_ link: any CCIDLink) throws(CardChannelError) {
        guard parameters.transmissionProtocol == .t1, link.descriptor.isDrivenByHost,
            !link.descriptor.features.contains(.automaticIFSD)
        else { return }
        var blocks = blocks
        defer { self.blocks = blocks }
        let limit = Deadline.after(CCIDBulkLink.longestExchange)
        // fits: a descriptor has 1 to 254 here, or 254
        try blocks.offer(fieldSize: UInt8(link.descriptor.largestFieldSize)) { block, times throws(CardChannelError) in
            try sendBlock(block, times: times, link: link, limit: limit)
        }
    }

    /// All exchanges with the reader for one command share one deadline.
    mutating func transmit(_ command: CommandAPDU, _ link: any CCIDLink) throws(CardChannelError) -> ResponseAPDU {
        let limit = Deadline.after(CCIDBulkLink.longestExchange)
        var bytes: [UInt8]
        switch (link.descriptor.level, parameters.transmissionProtocol) {
        case (.extendedAPDU, _): bytes = try sendAPDU(command.bytes, link, limit)
        case (.shortAPDU, _):
            guard command.data.count <= 255, (command.expectedLength ?? 0) <= 256 else {
                throw .readerFailed(.shortCommandsOnly)
            }
            bytes = try exchange(
                .transfer(command.bytes, waitingTimes: 0, level: 0), timeout: Self.timeout, link: link, limit: limit
            ).data
        case (.tpdu, .t0):
            let timeout = max(Self.timeout, timing.command)
            bytes = try exchange(
                .transfer(try command.t0(), waitingTimes: 0, level: 0), timeout: timeout, link: link, limit: limit
            ).data
        case (.character, .t0): bytes = try sendCharacters(try command.t0(), link, limit)
        case (.tpdu, .t1), (.character, .t1):
            var blocks = blocks
            defer { self.blocks = blocks }
            bytes = try blocks.transmit(command.bytes) { block, times throws(CardChannelError) in
                try sendBlock(block, times: times, link: link, limit: limit)
            }
        }
        guard let response = ResponseAPDU(wiping: &bytes) else { throw .malformedAnswer(.noStatusWord) }
        return response
    }

    /// Makes the reader ask for a PIN and send it to the card.
    ///
    /// - Returns: The card's status, 6400 if no PIN was entered in time, or 6401 if the cardholder
    ///   cancelled.
    mutating func enterPIN(_ entry: PINPadEntry, _ link: any CCIDLink) throws(CardChannelError) -> StatusWord {
        let limit = Deadline.after(entry.answerTimeout)
        let isInBlocks = link.descriptor.level == .tpdu && parameters.transmissionProtocol == .t1
        var blocks = blocks
        defer { self.blocks = blocks }
        let wire: T1Exchange.Link = { block, times throws(CardChannelError) in
            try sendBlock(block, times: times, link: link, limit: limit)
        }
        let prologue = isInBlocks ? try blocks.prologue(length: entry.command.count, wire) : [0, 0, 0]
        let answer = try status(
            .secure(entry.bytes(prologue: prologue), waitingTimes: 0, level: 0), timeout: entry.answerTimeout,
            link: link, limit: limit)
        var bytes = answer.data
        switch answer.result {
        case .failed(CCIDError.pinTimeout.code): return CCIDPINPad.timedOut
        case .failed(CCIDError.pinCancelled.code): return CCIDPINPad.cancelled
        case .failed(CCIDError.mute.code) where isInBlocks: bytes = try blocks.answer(toFilledIn: .silence, wire)
        case .failed(let code): throw CardChannelError(CCIDError(code))
        case .done, .moreTime: if isInBlocks { bytes = try blocks.answer(toFilledIn: .bytes(bytes), wire) }
        }
        guard let response = ResponseAPDU(wiping: &bytes) else { throw .malformedAnswer(.noStatusWord) }
        return response.status
    }

    // MARK: Levels

    /// A whole APDU, in parts if it is longer than the reader's messages (USB CCID 1.1, 6.1.4 and
    /// 6.2.1).
    private func sendAPDU(_ command: [UInt8], _ link: any CCIDLink, _ limit: Deadline) throws(CardChannelError)
        -> [UInt8]
    {
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
            answer = try exchange(
                .transfer(part, waitingTimes: 0, level: level.rawValue), timeout: Self.timeout, link: link, limit: limit
            )
            // An answer with data before the end of the command means that the card refused it.
        } while !rest.isEmpty && answer.data.isEmpty
        @Wiped var collected = answer.data
        // bChainParameter: 1 begins a chain, 3 continues it.
        while answer.parameter == 1 || answer.parameter == 3 {
            guard collected.count <= 65538 else { throw .malformedAnswer(.tooLong(maximum: 65538)) }
            answer = try exchange(
                .transfer([], waitingTimes: 0, level: CCIDCommand.Chaining.wantsMore.rawValue), timeout: Self.timeout,
                link: link,
                limit: limit)
            guard !answer.data.isEmpty else { throw .malformedAnswer(.emptyPart) }
            _collected.append(contentsOf: answer.data)
        }
        return collected
    }

    private func sendBlock(
        _ block: [UInt8], times: Int, link: any CCIDLink, limit: Deadline
    ) throws(CardChannelError) -> T1Exchange.Reception {
        let timeout = max(Self.timeout, timing.block * times)
        let waitingTimes = UInt8(clamping: times)
        guard link.descriptor.level == .character else {
            return try reception(
                .transfer(block, waitingTimes: waitingTimes, level: 0), timeout: timeout, link: link, limit: limit)
        }
        // The first three bytes say how many follow.
        let first = try reception(
            .transfer(block, waitingTimes: waitingTimes, level: 3), timeout: timeout, link: link, limit: limit)
        guard case .bytes(let head) = first, head.count == 3 else { return first }
        let width: UInt16 = parameters.checksum == .lrc ? 1 : 2
        let rest = CCIDCommand.transfer([], waitingTimes: waitingTimes, level: UInt16(head[2]) + width)
        guard case .bytes(let tail) = try reception(rest, timeout: timeout, link: link, limit: limit) else {
            return .damaged
        }
        return .bytes(head + tail)
    }

    /// The answer to a block. T=1 itself handles a card that does not answer.
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

    /// T=0 character by character: the header, then what the card's procedure bytes request
    /// (ISO/IEC 7816-3:2006, 10.3.3).
    private func sendCharacters(
        _ command: [UInt8], _ link: any CCIDLink, _ limit: Deadline
    ) throws(CardChannelError) -> [UInt8] {
        let timeout = max(Self.timeout, timing.command)
        var machine = T0Exchange(command)
        var step = machine.start
        while true {
            switch step {
            case .send(let bytes, let expected):
                // fits: T=0 wants at most 258 bytes at a time
                let transfer = CCIDCommand.transfer(bytes, waitingTimes: 0, level: UInt16(expected))
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

    /// An answer while the card is still present.
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
    /// Whether the host must handle protocol and parameters.
    var isDrivenByHost: Bool { level == .tpdu || level == .character }
}
