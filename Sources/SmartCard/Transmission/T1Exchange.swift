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
    static let mostExtensions = 64
    static let longestAnswer = 65538

    /// IFSC.
    private var cardFieldSize: Int
    /// IFSD, what the card may send in one block.
    private var deviceFieldSize = 32
    private let checksum: CardParameters.Checksum
    private var sendNumber: UInt8 = 0
    private var receiveNumber: UInt8 = 0

    public init(_ parameters: CardParameters) {
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
    public mutating func transmit(_ command: [UInt8], _ link: Link) throws(CardChannelError) -> [UInt8] {
        for attempt in 0...Self.attempts {
            if attempt > 0 { try resynchronise(link) }
            if let answer = try exchange(command, link) { return answer }
        }
        throw .malformedAnswer("T=1: blocks are lost again and again")
    }

    /// Nil if blocks could not be had for all asking.
    private mutating func exchange(_ command: [UInt8], _ link: Link) throws(CardChannelError) -> [UInt8]? {
        var rest = command[...]
        var answer: [UInt8] = []
        var isAnswering = false
        var (failures, extensions, waitingTimes) = (0, 0, 1)
        var information = nextBlock(rest)
        var next = information
        while true {
            let received = try receive(next, waitingTimes, link)
            waitingTimes = 1
            switch received?.control {
            case .receiveReady(let number, let error):
                if number != sendNumber, isMore(information), error == .none {
                    // The card has this block: on to the next.
                    rest = rest.dropFirst(information.information.count)
                    sendNumber ^= 1
                    information = nextBlock(rest)
                    failures = 0
                } else if number == sendNumber {
                    failures += 1
                } else {
                    failures += 1
                    next = request(.other)
                    break
                }
                next = information
            case .information(let number, let more) where number == receiveNumber && !isMore(information):
                // The answer's first block says that the command's last one has come.
                if !isAnswering { sendNumber ^= 1 }
                isAnswering = true
                receiveNumber ^= 1
                answer += received?.information ?? []
                guard answer.count <= Self.longestAnswer else { throw .malformedAnswer("T=1: more than 64 KiB") }
                guard more else { return answer }
                failures = 0
                next = request(.none)
            case .supervisory(.waitingTimeExtension, isResponse: false):
                extensions += 1
                guard extensions <= Self.mostExtensions else { throw .timedOut }
                waitingTimes = max(1, Int(received?.information.first ?? 1))
                next = T1Block(.supervisory(.waitingTimeExtension, isResponse: true), received?.information ?? [])
            case .supervisory(.informationFieldSize, isResponse: false):
                extensions += 1
                guard let size = received?.information.first, (1...254).contains(size), extensions <= Self.mostExtensions else {
                    throw .malformedAnswer("T=1: a field size that cannot be")
                }
                cardFieldSize = Int(size)
                next = T1Block(.supervisory(.informationFieldSize, isResponse: true), [size])
            case .supervisory(.abort, isResponse: false):
                throw .malformedAnswer("T=1: the card gave up")
            default:
                failures += 1
                next = request(received == nil ? .checksumOrParity : .other)
            }
            guard failures < Self.attempts else { return nil }
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
                return
            }
        }
        throw .malformedAnswer("T=1: the card does not find back")
    }

    /// Nil if nothing came, or nothing that is a block.
    private func receive(_ block: T1Block, _ waitingTimes: Int, _ link: Link) throws(CardChannelError) -> T1Block? {
        guard case .bytes(let bytes) = try link(block.bytes(checksum), waitingTimes), let answer = try? T1Block(parsing: bytes, checksum),
            answer.information.count <= max(deviceFieldSize, 32)
        else { return nil }
        return answer
    }
}
