/// The terminal's side of T=1: sends commands in blocks and puts answers together, asks again for what was lost (ISO/IEC 7816-3:2006, 11.6).
public struct T1Exchange: Sendable {
    /// What came over the wire for a block that was sent.
    public enum Reception: Sendable, Equatable {
        case bytes([UInt8])
        /// Characters with wrong parity.
        case damaged
        /// Nothing in the time that the card has.
        case silence
    }

    /// Sends a block and waits for the card's; the number is by how much the card wants the block waiting time multiplied, 1 as a rule.
    public typealias Link = (_ block: [UInt8], _ waitingTimes: Int) throws(CardChannelError) -> Reception

    /// How often a block is asked for again, and how often the card is asked to begin anew.
    static let attempts = 3
    /// How often a card may ask for more time within one command: more than a minute at the usual block waiting time.
    static let maximumExtensions = 64
    static let longestAnswer = 65538

    /// IFSC, of the answer to reset and as the card has changed it since.
    private let firstCardFieldSize: Int
    private var cardFieldSize: Int
    /// IFSD, what the card may send in one block.
    private var deviceFieldSize = 32
    private let checksum: CardParameters.Checksum
    private var sendNumber: UInt8 = 0
    private var receiveNumber: UInt8 = 0
    /// A command was not brought to its end: before the next both sides begin anew.
    private var isLost = false

    public init(_ parameters: CardParameters) {
        firstCardFieldSize = parameters.informationFieldSize
        cardFieldSize = parameters.informationFieldSize
        checksum = parameters.checksum
    }

    /// Tells the card that it may send blocks of `size` bytes, 254 at most. A card that refuses goes on with 32.
    public mutating func offer(fieldSize size: UInt8, _ link: Link) throws(CardChannelError) {
        let request = T1Block(.supervisory(.informationFieldSize, isResponse: false), [size])
        for _ in 0..<Self.attempts {
            guard let answer = try receive(request, 1, link) else { continue }
            if answer == T1Block(.supervisory(.informationFieldSize, isResponse: true), [size]) { deviceFieldSize = Int(size) }
            return
        }
    }

    /// Sends a command's bytes and gives the answer's.
    ///
    /// A command that the card may have carried out is not sent a second time, whatever became of its answer; the one after it finds the card in step again.
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
            case .lost(mayHaveArrived: true, isSilent: false): throw .malformedAnswer("T=1: the answer is lost")
            }
        }
        throw .malformedAnswer("T=1: blocks are lost again and again")
    }

    // MARK: Commands that the reader fills in

    /// NAD, PCB and LEN of the block that carries a command of `length` bytes which the reader completes and sends by itself, such as a VERIFY with a PIN of its own pad.
    /// What comes back is for ``answer(toFilledIn:_:)``.
    public mutating func prologue(length: Int, _ link: Link) throws(CardChannelError) -> [UInt8] {
        if isLost { try resynchronise(link) }
        return Array(T1Block(.information(number: sendNumber, more: false), [UInt8](repeating: 0, count: length)).bytes(.lrc).prefix(3))
    }

    /// The answer to such a command. It cannot be sent again, so that a block which is lost or damaged is asked for, and one that the card has not got ends in an error.
    public mutating func answer(toFilledIn reception: Reception, _ link: Link) throws(CardChannelError) -> [UInt8] {
        isLost = true
        guard case .answered(let answer) = try exchange(nil, reception, link) else { throw .malformedAnswer("T=1: the answer is lost") }
        isLost = false
        return answer
    }

    private enum End {
        case answered([UInt8])
        /// Blocks could not be had for all asking.
        case lost(mayHaveArrived: Bool, isSilent: Bool)
    }

    /// - Parameters:
    ///   - command: Nil for one that the reader has sent.
    ///   - first: What came for that one.
    private mutating func exchange(_ command: [UInt8]?, _ first: Reception?, _ link: Link) throws(CardChannelError) -> End {
        var rest = (command ?? [])[...]
        var first = first
        var answer: [UInt8] = []
        var isAnswering = false
        var mayHaveArrived = false
        // Receptions in a row that were no block, and blocks that brought nothing forward.
        var (failures, repetitions) = (0, 0)
        var (extensions, waitingTimes) = (0, 1)
        var information = nextBlock(rest)
        var next = information
        while true {
            if next == information, !isMore(information) { mayHaveArrived = true }
            let reception = if let first { first } else { try link(next.bytes(checksum), waitingTimes) }
            first = nil
            let received = block(reception)
            waitingTimes = 1
            if received != nil { failures = 0 }
            switch received?.control {
            case .receiveReady(let number, _) where !isAnswering && number == sendNumber:
                // The card has not got this block.
                guard command != nil else { return .lost(mayHaveArrived: false, isSilent: false) }
                mayHaveArrived = false
                repetitions += 1
                next = information
            case .receiveReady(_, _) where !isAnswering && isMore(information):
                // It has it: on to the next.
                rest = rest.dropFirst(information.information.count)
                sendNumber ^= 1
                information = nextBlock(rest)
                next = information
                repetitions = 0
            case .information(let number, let more) where number == receiveNumber && !isMore(information):
                // The answer's first block says that the command's last one has come.
                if !isAnswering { sendNumber ^= 1 }
                isAnswering = true
                receiveNumber ^= 1
                let part = received?.information ?? []
                answer += part
                if part.isEmpty { extensions += 1 }
                guard answer.count <= Self.longestAnswer, extensions <= Self.maximumExtensions else {
                    throw .malformedAnswer("T=1: an answer without end")
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
                guard let size = received?.information.first, (1...254).contains(size), extensions <= Self.maximumExtensions else {
                    throw .malformedAnswer("T=1: a field size that cannot be")
                }
                cardFieldSize = Int(size)
                next = T1Block(.supervisory(.informationFieldSize, isResponse: true), [size])
            case .supervisory(.abort, isResponse: false):
                _ = try link(T1Block(.supervisory(.abort, isResponse: true)).bytes(checksum), 1)
                throw .malformedAnswer("T=1: the card gave up")
            case nil:
                failures += 1
                next = request(.checksumOrParity)
            default:
                repetitions += 1
                next = request(.other)
            }
            guard max(failures, repetitions) < Self.attempts else {
                return .lost(mayHaveArrived: mayHaveArrived, isSilent: reception == .silence)
            }
        }
    }

    /// The block that asks for the one that is expected.
    private func request(_ error: T1Block.ReceiveError) -> T1Block { T1Block(.receiveReady(number: receiveNumber, error)) }

    private func nextBlock(_ rest: ArraySlice<UInt8>) -> T1Block {
        let part = Array(rest.prefix(cardFieldSize))
        return T1Block(.information(number: sendNumber, more: part.count < rest.count), part)
    }

    private func isMore(_ block: T1Block) -> Bool {
        if case .information(_, let more) = block.control { more } else { false }
    }

    /// Both sides begin anew with numbers 0.
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
        throw .malformedAnswer("T=1: the card does not find back")
    }

    private func receive(_ block: T1Block, _ waitingTimes: Int, _ link: Link) throws(CardChannelError) -> T1Block? {
        self.block(try link(block.bytes(checksum), waitingTimes))
    }

    /// Nil if nothing came, or nothing that is a block.
    private func block(_ reception: Reception) -> T1Block? {
        guard case .bytes(let bytes) = reception, let answer = try? T1Block(parsing: bytes, checksum),
            answer.information.count <= max(deviceFieldSize, 32)
        else { return nil }
        return answer
    }
}
