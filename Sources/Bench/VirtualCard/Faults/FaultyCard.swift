public import SmartCard
internal import TLV

/// A card with faults: passes commands to another channel, and applies its faults in their order.
public actor FaultyCard: AccompaniedCard {
    /// Waits for the given number of milliseconds.
    public typealias Sleep = @Sendable (Int) async -> Void

    /// The work waiting time of T=0 with the initial parameters of cards, 9,600 bits of 1/9600 s
    /// (EMV Contact Interface Specification), in milliseconds.
    public static let workWaitingTime = 1000
    /// For how long a card may ask at a time: the frame waiting time with FWI 8, 77 ms (ISO/IEC
    /// 14443-4:2008, 7.2), in milliseconds.
    public static let extensionTime = 77

    private let card: any CardChannel
    private let faults: [CardFault]
    private let waitingTime: Int
    private let sleep: Sleep
    /// The number of commands so far, including failed ones.
    public private(set) var step = 0
    private var occurrences: [UInt8: Int] = [:]
    private var isRemoved = false
    private var chains = false
    /// The command that is repeatedly answered with `6Cxx`.
    private var wrongLengthCommand: CommandAPDU?
    private var previous: ResponseAPDU?
    private var firstFCI: [UInt8]?
    private var presentations = 0

    /// - Parameters:
    ///   - waitingTime: The reader's time limit for an answer, in milliseconds.
    ///   - sleep: Performs delays; without it, only delays longer than the reader's time limit have
    ///     an effect.
    public init(
        _ card: any CardChannel, _ faults: [CardFault], waitingTime: Int = FaultyCard.workWaitingTime,
        sleep: @escaping Sleep = { _ in }
    ) {
        self.card = card
        self.faults = faults
        self.waitingTime = waitingTime
        self.sleep = sleep
    }

    public init(_ card: any CardChannel, _ faults: CardFault...) { self.init(card, faults) }

    public func reset() async { await (card as? any RemovableCard)?.reset() }

    /// Counts a presentation.
    package func isAccompanied() -> Bool {
        presentations += 1
        return faults.contains { fault in
            guard case .secondCard(let limit) = fault.effect else { return false }
            return limit.map { presentations <= $0 } ?? true
        }
    }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        step += 1
        occurrences[command.ins, default: 0] += 1
        let (step, occurrence) = (step, occurrences[command.ins, default: 0])
        let effects = faults.filter { $0.occasion.covers(command.instruction, step: step, occurrence: occurrence) }.map(
            \.effect)
        let response: ResponseAPDU
        if let early = try answerInsteadOfCard(command, effects) {
            response = early
        } else {
            response = try await card.transmit(command.naming(effects))
        }
        let damaged = try await damage(response, command, effects)
        previous = damaged
        return damaged
    }

    /// The answer to a command that does not reach the card; nil if it does.
    private func answerInsteadOfCard(_ command: CommandAPDU, _ effects: [CardFault.Effect]) throws(CardChannelError)
        -> ResponseAPDU?
    {
        isRemoved = isRemoved || effects.contains(.removal)
        guard !isRemoved else { throw .cardRemoved }
        for effect in effects {
            switch effect {
            case .status(let status): return ResponseAPDU(status: status)
            case .endlessChaining: chains = true
            case .endlessWrongLength: wrongLengthCommand = command.withoutLength
            case .oneMoreApplication where command.instruction == .select && command.p2 == 0x02:
                return Self.selectNext(command.data, step: step)
            default: break
            }
        }
        if chains, effects.contains(.endlessChaining) || command.instruction == .getResponse {
            return ResponseAPDU([0x00], status: StatusWord(rawValue: 0x6110))
        }
        if wrongLengthCommand == command.withoutLength {
            return ResponseAPDU(status: StatusWord(rawValue: 0x6C01 + UInt16(truncatingIfNeeded: step % 128)))
        }
        return nil
    }

    private func damage(
        _ response: ResponseAPDU, _ command: CommandAPDU, _ effects: [CardFault.Effect]
    ) async throws(CardChannelError) -> ResponseAPDU {
        var response = response
        for effect in effects {
            switch effect {
            case .silence: throw .timedOut
            case .delay(let milliseconds):
                await sleep(min(milliseconds, waitingTime))
                guard milliseconds <= waitingTime else { throw .timedOut }
            case .waitingTimeExtensions(let count):
                let granted = min(count ?? .max, ISODEPExchange.maximumExtensions)
                await sleep(granted * Self.extensionTime)
                guard granted == count else { throw .timedOut }
            case .replacement(let tag, let value): response.rewriteObjects { own, _ in own == tag ? value : nil }
            case .otherName(let name, let own):
                response.rewriteObjects { tag, value in (tag == .adfName || tag == .dfName) && value == own ? name : nil
                }
            case .corruption(let index, let mask) where response.data.indices.contains(index):
                response.data[index] ^= mask
            case .truncation(let count): response.data = Array(response.data.prefix(count))
            case .previousAnswer: response = previous ?? response
            case .cryptogramInformation(let value): response.replaceCryptogramInformation(value)
            case .firstFCI where command.instruction == .select:
                if firstFCI == nil && response.status == .success { firstFCI = response.data }
                if let firstFCI { response = ResponseAPDU(firstFCI) }
            default: break
            }
        }
        return response
    }

    /// An FCI whose name begins with `name` and ends with the step, so that each is different.
    private static func selectNext(_ name: [UInt8], step: Int) -> ResponseAPDU {
        let ending = [UInt8(truncatingIfNeeded: step >> 8), UInt8(truncatingIfNeeded: step)]
        return ResponseAPDU(
            tlv(.fciTemplate) { template in
                template.append(.dfName, name.prefix(14) + ending)
                template.append(.fciProprietaryTemplate) { $0.append(.applicationLabel, "ENDLESS".utf8) }
            })
    }
}

extension CommandAPDU {
    /// A SELECT by another name, with the application's own.
    fileprivate func naming(_ effects: [CardFault.Effect]) -> CommandAPDU {
        guard instruction == .select else { return self }
        var command = self
        for case .otherName(let name, let own) in effects where command.data == name { command.data = own }
        return command
    }

    fileprivate var withoutLength: CommandAPDU {
        var command = self
        command.expectedLength = nil
        return command
    }
}

extension ResponseAPDU {
    /// Sets the CID of an answer to GENERATE AC: the first value of template `80`, or tag `9F27` in
    /// template `77` (EMV 4.4 Book 3, 6.5.5.4).
    fileprivate mutating func replaceCryptogramInformation(_ value: UInt8) {
        var walker = TLVWalker()
        while let object = try? walker.next(in: data.span) {
            let isHere = object.depth == 0 ? object.tag == .responseTemplate1 : object.tag == .cryptogramInformationData
            if isHere, !object.value.isEmpty { data[object.value.lowerBound] = value }
        }
    }
}
