private import Bytes

extension ISODEPExchange {
    /// Sends a block through the field and waits for the card's block for the given time.
    package typealias Transceiver = (_ block: [UInt8], _ waitingTime: Duration) throws(CardChannelError) -> Reception

    /// Sends a command and returns the card's answer.
    package mutating func transmit(_ command: CommandAPDU, _ transceive: Transceiver) throws(CardChannelError)
        -> ResponseAPDU
    {
        guard case .answered(let bytes) = try run(send(command.bytes), transceive) else {
            throw .malformedAnswer(.unexpectedBlock)
        }
        guard let response = ResponseAPDU(bytes: bytes.wrappedValue) else { throw .malformedAnswer(.noStatusWord) }
        return response
    }

    /// Whether the card is still present.
    package mutating func isPresent(_ transceive: Transceiver) throws(CardChannelError) -> Bool {
        do throws(CardChannelError) {
            return try run(checkPresence(), transceive) == .present
        } catch .cardRemoved {
            return false
        } catch {
            throw error
        }
    }

    /// Deselects the card. A missing answer is ignored.
    package mutating func deselect(_ transceive: Transceiver) { _ = try? run(deselect(), transceive) }

    private mutating func run(_ first: Step, _ transceive: Transceiver) throws(CardChannelError) -> End {
        var step = first
        while true {
            switch step {
            case .send(let block, let time):
                do throws(CardChannelError) {
                    step = take(try transceive(block, time))
                } catch {
                    giveUp()
                    throw error
                }
            case .end(.failed(let failure)): throw CardChannelError(failure)
            case .end(let end): return end
            }
        }
    }
}

extension CardChannelError {
    package init(_ failure: ISODEPExchange.Failure) {
        switch failure {
        case .silence, .sessionLost: self = .cardRemoved
        case .tooMuchTime: self = .timedOut
        case .damaged: self = .malformedAnswer(.damagedBlocks)
        case .malformed(.cardIdentifier), .malformed(.nodeAddress): self = .malformedAnswer(.addressedBlock)
        case .malformed: self = .malformedAnswer(.invalidBlock)
        case .unexpectedBlock: self = .malformedAnswer(.unexpectedBlock)
        case .blockNotReceived: self = .malformedAnswer(.blockNotReceived)
        case .answerTooLong: self = .malformedAnswer(.tooLong(maximum: ISODEPExchange.longestAnswer))
        case .emptyPart: self = .malformedAnswer(.emptyPart)
        }
    }
}
