private import Bytes

/// The terminal's side of T=1: sends commands in blocks, assembles answers and requests lost blocks
/// again (ISO/IEC 7816-3:2006, 11.6).
public struct T1Exchange: Sendable {
    /// What was received after a block was sent.
    public enum Reception: Sendable, Equatable {
        case bytes([UInt8])
        /// Characters with parity errors.
        case damaged
        /// Nothing within the block waiting time.
        case silence

        /// Wipes the bytes, which are parsed by now.
        fileprivate mutating func wipe() {
            guard case .bytes(var bytes) = self else { return }
            self = .damaged
            Bytes.wipe(&bytes)
        }
    }

    /// Sends a block and waits for the card's. The number is the multiplier of the block waiting
    /// time, usually 1.
    public typealias Link = (_ block: [UInt8], _ waitingTimes: Int) throws(CardChannelError) -> Reception

    /// How often a block is requested again, and how often resynchronization is requested.
    static let attempts = 3
    /// How often a card may request more time within one command: more than a minute at the usual
    /// block waiting time.
    static let maximumExtensions = 64
    static let longestAnswer = 65538

    /// IFSC, from the answer to reset or changed later by the card.
    private let firstCardFieldSize: Int
    private var cardFieldSize: Int
    /// IFSD, the maximum information field size of the card's blocks.
    private var deviceFieldSize = 32
    private let checksum: CardParameters.Checksum
    private var sendNumber: UInt8 = 0
    private var receiveNumber: UInt8 = 0
    /// A command did not complete: the next one starts with a resynchronization.
    private var isLost = false

    public init(_ parameters: CardParameters) {
        firstCardFieldSize = parameters.informationFieldSize
        cardFieldSize = parameters.informationFieldSize
        checksum = parameters.checksum
    }

    /// Announces an IFSD of `size` bytes, 254 at most. If the card refuses, 32 stays.
    public mutating func offer(fieldSize size: UInt8, _ link: Link) throws(CardChannelError) {
        let request = T1Block(.supervisory(.informationFieldSize, isResponse: false), [size])
        for _ in 0..<Self.attempts {
            guard let answer = try receive(request, 1, link) else { continue }
            if answer == T1Block(.supervisory(.informationFieldSize, isResponse: true), [size]) {
                deviceFieldSize = Int(size)
            }
            return
        }
    }

    /// Sends the bytes of a command and returns those of the answer.
    ///
    /// A command that the card may have executed is never sent twice, even if its answer is lost.
    /// The next command resynchronizes first.
    public mutating func transmit(_ command: [UInt8], _ link: Link) throws(CardChannelError) -> [UInt8] {
        for _ in 0..<Self.attempts {
            if isLost { try resynchronise(link) }
            isLost = true
            switch try exchange(command, nil, link) {
            case .answered(let answer):
                isLost = false
                return answer
            case .lost(mayHaveArrived: false, isSilent: _): continue
            case .lost(mayHaveArrived: true, isSilent: true): throw .timedOut
            case .lost(mayHaveArrived: true, isSilent: false): throw .malformedAnswer(.lost)
            }
        }
        throw .malformedAnswer(.tooManyBlocksLost)
    }

    // MARK: Commands that the reader fills in

    /// NAD, PCB and LEN of the block that carries a command of `length` bytes which the reader
    /// completes and sends itself, such as VERIFY with a PIN from its keypad.
    /// ``answer(toFilledIn:_:)`` takes the card's reply.
    public mutating func prologue(length: Int, _ link: Link) throws(CardChannelError) -> [UInt8] {
        if isLost { try resynchronise(link) }
        return Array(
            T1Block(.information(number: sendNumber, more: false), [UInt8](repeating: 0, count: length)).bytes(.lrc)
                .prefix(3))
    }

    /// The answer to such a command. The command cannot be sent again: a lost or damaged answer
    /// block is requested again, and a command that the card did not receive is an error.
    public mutating func answer(toFilledIn reception: Reception, _ link: Link) throws(CardChannelError) -> [UInt8] {
        isLost = true
        guard case .answered(let answer) = try exchange(nil, reception, link) else { throw .malformedAnswer(.lost) }
        isLost = false
        return answer
    }

    private enum End {
        case answered([UInt8])
        /// Repeated requests brought no block.
        case lost(mayHaveArrived: Bool, isSilent: Bool)
    }

    /// - Parameters:
    ///   - command: Nil for a command that the reader sends.
    ///   - first: What was received for that command.
    private mutating func exchange(_ command: [UInt8]?, _ first: Reception?, _ link: Link) throws(CardChannelError)
        -> End
    {
        var rest = (command ?? [])[...]
        var first = first
        @Wiped var answer: [UInt8]
        var isAnswering = false
        var mayHaveArrived = false
        // Consecutive receptions without a valid block, and blocks without progress.
        var (failures, repetitions) = (0, 0)
        var (extensions, waitingTimes) = (0, 1)
        var information = nextBlock(rest)
        var next = information
        while true {
            if next == information, !isMore(information) { mayHaveArrived = true }
            var reception = if let first { first } else { try link(next.bytes(checksum), waitingTimes) }
            first = nil
            let received = block(reception)
            let isSilent = reception == .silence
            reception.wipe()
            waitingTimes = 1
            if received != nil { failures = 0 }
            switch received?.control {
            case .receiveReady(let number, _) where !isAnswering && number == sendNumber:
                // The card did not receive this block.
                guard command != nil else { return .lost(mayHaveArrived: false, isSilent: false) }
                mayHaveArrived = false
                repetitions += 1
                next = information
            case .receiveReady(_, _) where !isAnswering && isMore(information):
                // The card received it: send the next.
                rest = rest.dropFirst(information.information.count)
                sendNumber ^= 1
                information = nextBlock(rest)
                next = information
                repetitions = 0
            case .information(let number, let more) where number == receiveNumber && !isMore(information):
                // The answer's first block acknowledges the command's last block.
                if !isAnswering { sendNumber ^= 1 }
                isAnswering = true
                receiveNumber ^= 1
                let before = answer.count
                received?.appendInformation(to: &_answer)
                if answer.count == before { extensions += 1 }
                guard answer.count <= Self.longestAnswer, extensions <= Self.maximumExtensions else {
                    throw .malformedAnswer(.tooLong(maximum: Self.longestAnswer))
                }
                guard more else { return .answered(answer) }
                repetitions = 0
                next = request(.none)
            case .supervisory(.waitingTimeExtension, isResponse: false):
                extensions += 1
                guard extensions <= Self.maximumExtensions else { throw .timedOut }
                waitingTimes = max(1, Int(received?.information.first ?? 1))
                next = T1Block(.supervisory(.waitingTimeExtension, isResponse: true), received?.information ?? [])
            case .supervisory(.informationFieldSize, isResponse: false):
                extensions += 1
                guard let size = received?.information.first, (1...254).contains(size),
                    extensions <= Self.maximumExtensions
                else {
                    throw .malformedAnswer(.invalidInformationFieldSize)
                }
                cardFieldSize = Int(size)
                next = T1Block(.supervisory(.informationFieldSize, isResponse: true), [size])
            case .supervisory(.abort, isResponse: false):
                _ = try link(T1Block(.supervisory(.abort, isResponse: true)).bytes(checksum), 1)
                throw .malformedAnswer(.chainAborted)
            case nil:
                failures += 1
                next = request(.checksumOrParity)
            default:
                repetitions += 1
                next = request(.other)
            }
            guard max(failures, repetitions) < Self.attempts else {
                return .lost(mayHaveArrived: mayHaveArrived, isSilent: isSilent)
            }
        }
    }

    /// The R-block for the expected block.
    private func request(_ error: T1Block.ReceiveError) -> T1Block {
        T1Block(.receiveReady(number: receiveNumber, error))
    }

    private func nextBlock(_ rest: ArraySlice<UInt8>) -> T1Block {
        let part = Array(rest.prefix(cardFieldSize))
        return T1Block(.information(number: sendNumber, more: part.count < rest.count), part)
    }

    private func isMore(_ block: T1Block) -> Bool {
        if case .information(_, let more) = block.control { more } else { false }
    }

    /// Resynchronization: both sides restart with sequence number 0.
    private mutating func resynchronise(_ link: Link) throws(CardChannelError) {
        for _ in 0..<Self.attempts {
            let answer = try receive(T1Block(.supervisory(.resynchronisation, isResponse: false)), 1, link)
            if answer == T1Block(.supervisory(.resynchronisation, isResponse: true)) {
                (sendNumber, receiveNumber) = (0, 0)
                cardFieldSize = min(cardFieldSize, firstCardFieldSize)
                isLost = false
                return
            }
        }
        throw .malformedAnswer(.resynchronizationFailed)
    }

    private func receive(_ block: T1Block, _ waitingTimes: Int, _ link: Link) throws(CardChannelError) -> T1Block? {
        self.block(try link(block.bytes(checksum), waitingTimes))
    }

    /// Nil if nothing was received, or no valid block.
    private func block(_ reception: Reception) -> T1Block? {
        guard case .bytes(let bytes) = reception, let answer = try? T1Block(parsing: bytes, checksum),
            answer.information.count <= max(deviceFieldSize, 32)
        else { return nil }
        return answer
    }
}
