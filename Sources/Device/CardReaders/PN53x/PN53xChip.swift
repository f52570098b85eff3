internal import Bytes
import CardCapture
internal import DeviceIO
package import SmartCard

/// A connected chip and its field, for the thread of its reader.
final class PN53xChip: LineLink {
    /// The result of one poll of the field.
    enum Field {
        case empty
        case severalCards
        case card(ContactlessCard)
        /// A card that is not accepted, and why.
        case refused(PN53xError)
    }

    /// How long the field is off, which resets every card in it, and on before commands go to cards
    /// (at least 5 ms each).
    private static let pause = Duration.milliseconds(10)
    /// The time between two polls of the field.
    private static let pollingInterval = Duration.milliseconds(30)
    /// How long the chip may search for cards and initialize them.
    private static let searchTime = Duration.seconds(1)

    private let link: any PN53xLink
    /// Ends waits.
    private let cancel: WakeEvent
    private var waitingTime: PN53xWaitingTime?

    /// Wakes the chip and configures it.
    init(_ link: any PN53xLink, cancel: WakeEvent) throws(DeviceError) {
        self.link = link
        self.cancel = cancel
        try link.wake()
        let code = try version()
        guard code == 0x32 || code == 0x33 else { throw .malformed(.pn53xAnswer, .unknownType) }
        try set(.withoutAutomatics)
        try set(.singleTry)
    }

    /// IC of the firmware version: 32 for a PN532, 33 for a PN533.
    func version() throws(DeviceError) -> UInt8 {
        guard let code = try link.perform(.firmwareVersion, time: .zero).first else {
            throw .malformed(.pn53xAnswer, .empty)
        }
        return code
    }

    func isConnected() -> Bool { link.isConnected() }

    /// Ends the command in progress; the connection is usable only after that.
    func survives(_ error: DeviceError) -> Bool {
        guard error == .cancelled else { return false }
        do throws(DeviceError) {
            try link.abort()
            return true
        } catch {
            return false
        }
    }

    // MARK: Cards

    /// Polls the field until there is a card in it.
    func waitForCard() throws(DeviceError) -> Field {
        try restartField()
        while true {
            let field = try look()
            if case .empty = field {
                try cancel.wait(until: .after(Self.pollingInterval))
                continue
            }
            return field
        }
    }

    /// Polls once for a card of any kind, then switches the field off. Every card starts from its
    /// reset, and answers even if it was halted.
    func isFieldEmpty() throws(DeviceError) -> Bool {
        try restartField()
        var isEmpty = true
        for type in [PN53xCommand.CardType.typeA, .typeB] where isEmpty {
            isEmpty = try list(type, atMost: 1) == .none
        }
        try set(.field(isOn: false))
        return isEmpty
    }

    /// Type A, then type B (EMV Contactless Book D). Cards of both types at once are a collision.
    /// So the field is reset, and type A is polled again if there is no card of type B.
    private func look() throws(DeviceError) -> Field {
        switch try list(.typeA, atMost: 2) {
        case .several: return .severalCards
        case .one:
            try restartField()
            guard try list(.typeB, atMost: 1) == .none else { return .severalCards }
            switch try list(.typeA, atMost: 2) {
            case .none: return .empty
            case .several: return .severalCards
            case .one(let card): return try activate(card)
            }
        case .none: break
        }
        switch try list(.typeB, atMost: 2) {
        case .none: return .empty
        case .several: return .severalCards
        case .one(let card): return try activate(card)
        }
    }

    /// A card that does not answer has left the field, or is not completely in it.
    private func activate(_ card: PN53xCards.Card) throws(DeviceError) -> Field {
        switch card {
        case .typeA(let identifier, let select, let answer): return try activateA(identifier, select, answer)
        case .typeB(let answer, let attribution): return try activateB(answer, attribution)
        }
    }

    private func activateA(_ identifier: [UInt8], _ select: UInt8, _ known: [UInt8]?) throws(DeviceError) -> Field {
        // Bit 6 of SAK: the card supports ISO/IEC 14443-4 (ISO/IEC 14443-3, 6.5.3.4).
        guard select & 0x20 != 0 else { return .refused(.noPaymentCard) }
        var received = known
        if received == nil { received = try reply(to: AnswerToSelect.request(frameSizeInteger: link.frameSizeInteger)) }
        guard let received else { return .empty }
        let answer: AnswerToSelect
        do throws(AnswerToSelect.Malformation) {
            answer = try AnswerToSelect(parsing: received)
        } catch {
            return .refused(.answerToSelect(error))
        }
        return try settled(
            answer.parameters, FieldIdentity(identifier: identifier, historicalBytes: answer.historicalBytes))
    }

    /// The chip has sent ATTRIB already, for short frames and perhaps with a card identifier. So
    /// the card is released, woken again and gets our own ATTRIB.
    private func activateB(_ known: [UInt8], _ attribution: [UInt8]) throws(DeviceError) -> Field {
        do throws(AnswerToRequestB.Malformation) {
            _ = try AnswerToRequestB(parsing: known)
        } catch {
            return .refused(error == .protocolNotSupported ? .noPaymentCard : .answerToRequest(error))
        }
        let identifier = (attribution.first ?? 0) & 0x0F
        _ = try reply(to: identifier == 0 ? ISODEPBlock.deselect.bytes : [0xCA, identifier])
        guard let received = try reply(to: AnswerToRequestB.request) else { return .empty }
        let answer: AnswerToRequestB
        do throws(AnswerToRequestB.Malformation) {
            answer = try AnswerToRequestB(parsing: received)
        } catch {
            return .refused(.answerToRequest(error))
        }
        guard let reply = try reply(to: answer.selection(frameSizeInteger: link.frameSizeInteger)),
            AnswerToRequestB.maximumBufferLengthIndex(reply) != nil
        else { return .empty }
        // The PUPI, bytes 2 to 5 (ISO/IEC 14443-3, 7.9.2).
        return try settled(
            answer.parameters, FieldIdentity(identifier: Array(received.dropFirst().prefix(4)), historicalBytes: []))
    }

    private func settled(_ parameters: ISODEPParameters, _ identity: FieldIdentity) throws(DeviceError) -> Field {
        if parameters.guardTime > .zero { try cancel.wait(until: .after(parameters.guardTime)) }
        return .card(
            ContactlessCard(
                exchange: ISODEPExchange(parameters.limited(toBlocksOf: link.longestBlock)), identity: identity))
    }

    /// Releases the card, if there is one, and switches the field off.
    func release(_ card: ContactlessCard?) throws(DeviceError) {
        if var card {
            var failure: DeviceError?
            card.exchange.deselect { block, time throws(CardChannelError) in
                do throws(DeviceError) {
                    return try self.transceive(block, waitingTime: time)
                } catch {
                    failure = error
                    throw CardChannelError(error)
                }
            }
            if let failure { throw failure }
            _ = try link.perform(.release, time: Self.searchTime)
        }
        try set(.field(isOn: false))
    }

    // MARK: Blocks

    /// Sends a block to the card and waits for its block.
    func transceive(_ block: [UInt8], waitingTime duration: Duration) throws(DeviceError) -> ISODEPExchange.Reception {
        let time = PN53xWaitingTime(duration)
        if time != waitingTime {
            waitingTime = nil
            try set(.waitingTime(time))
            waitingTime = time
        }
        let answer: Wiped
        do throws(DeviceError) {
            answer = try link.perform(.exchange(block), time: time.duration ?? duration)
        } catch .timedOut where time.duration == nil {
            try link.abort()
            return .silence
        } catch {
            throw error
        }
        guard let status = answer.first else { throw .malformed(.pn53xAnswer, .empty) }
        // PN532 user manual UM0701-02, 7.1.
        switch status & 0x3F {
        case 0x00: return .block(answer.dropping(first: 1))
        case 0x01: return .silence
        // CRC, parity, bit count, bit collision, too many bytes, protocol.
        case 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x09, 0x0B: return .damaged
        case let code: throw .rejected(.status(String(code, radix: 16, uppercase: true)))
        }
    }

    /// Nil if there is no answer, or a damaged one.
    private func reply(to block: [UInt8]) throws(DeviceError) -> [UInt8]? {
        guard case .block(let bytes) = try transceive(block, waitingTime: ISODEPParameters.activationTime) else {
            return nil
        }
        return bytes.wrappedValue
    }

    // MARK: The chip

    private func restartField() throws(DeviceError) {
        for isOn in [false, true] {
            try set(.field(isOn: isOn))
            try cancel.wait(until: .after(Self.pause))
        }
    }

    private func list(_ type: PN53xCommand.CardType, atMost count: UInt8) throws(DeviceError) -> PN53xCards {
        guard
            let cards = PN53xCards(
                parsing: try link.perform(.list(type, atMost: count), time: Self.searchTime).wrappedValue, type)
        else {
            throw .malformed(.pn53xAnswer, .invalid)
        }
        return cards
    }

    /// Sends a command whose answer has no data.
    private func set(_ command: PN53xCommand) throws(DeviceError) { _ = try link.perform(command, time: .zero) }
}

/// An activated card.
struct ContactlessCard {
    var exchange: ISODEPExchange
    /// From its activation.
    let identity: FieldIdentity
}

/// Why a card in the field is not accepted.
package enum PN53xError: Hashable, Sendable {
    /// The card does not support ISO/IEC 14443-4, for example a storage card.
    case noPaymentCard
    case answerToSelect(AnswerToSelect.Malformation)
    case answerToRequest(AnswerToRequestB.Malformation)
}

extension PN53xError: DriverError {
    package var description: String {
        switch self {
        case .noPaymentCard: "the card has no protocol for payments (ISO/IEC 14443-4): present a payment card"
        case .answerToSelect(let malformation): "\(malformation): hold the card still, or try another"
        case .answerToRequest(let malformation): "\(malformation): hold the card still, or try another"
        }
    }
}
