package import Bytes

/// The reader's side of ISO/IEC 14443-4:2008, 7.5, as a state machine: it takes the card's blocks
/// and returns the next step.
///
/// One value represents one activated card, beginning with its answer to select or to ATTRIB. A
/// command whose exchange fails may have been executed; it is never sent again, and the card must
/// be activated again before the next command.
package struct ISODEPExchange: Sendable {
    /// The reception after a block was sent.
    package enum Reception: Sendable, Equatable {
        /// A block with a correct CRC, which is removed.
        case block(Wiped)
        /// Data with a wrong CRC, parity or framing.
        case damaged
        /// Nothing within the waiting time.
        case silence
    }

    package enum Step: Sendable, Equatable {
        /// Send these bytes, and wait for the card's block for this time.
        case send([UInt8], waitingTime: Duration)
        case end(End)
    }

    package enum End: Sendable, Equatable {
        /// The bytes of the answer.
        case answered(Wiped)
        /// The card is still present.
        case present
        case deselected
        case failed(Failure)
    }

    package enum Failure: Error, Hashable, Sendable {
        /// There was no block, even after it was requested again: usually the card has left the
        /// field.
        case silence
        /// All blocks were damaged.
        case damaged
        case malformed(ISODEPBlock.Malformation)
        /// A block of the wrong kind or with the wrong number.
        case unexpectedBlock
        /// The card repeatedly reports that it did not receive the block.
        case blockNotReceived
        /// The card requested more time too often, or too much of it.
        case tooMuchTime
        /// More than 65538 bytes.
        case answerTooLong
        /// A part of a chained answer without data.
        case emptyPart
        /// An earlier exchange with the card failed.
        case sessionLost
    }

    /// How often a block is requested or sent again (three tries in all, as in open implementations
    /// of EMV Contactless Book D).
    static let maximumRepetitions = 2
    /// How often a card may request more time within one command.
    package static let maximumExtensions = 256
    /// The total waiting time that a card may request within one command.
    static let maximumExtendedTime = Duration.seconds(60)
    static let longestAnswer = 65538

    private enum Activity {
        case idle
        case commanding(block: ISODEPBlock, rest: ArraySlice<UInt8>)
        case answering(Wiped)
        case checkingPresence
        case deselecting
        case lost
    }

    private let parameters: ISODEPParameters
    /// The block number of the reader.
    private var number: UInt8 = 0
    private var activity = Activity.idle
    /// Consecutive receptions without a valid block.
    private var failures = 0
    /// Repetitions of the current block.
    private var repetitions = 0
    private var extensions = 0
    private var extendedTime = Duration.zero

    package init(_ parameters: ISODEPParameters) { self.parameters = parameters }

    // MARK: What is asked

    package mutating func send(_ command: [UInt8]) -> Step {
        if case .lost = activity { return .end(.failed(.sessionLost)) }
        failures = 0
        extensions = 0
        extendedTime = .zero
        return sendPart(of: command[...])
    }

    /// Asks whether the card is still there, by R(NAK) (7.5.5, method 2).
    package mutating func checkPresence() -> Step {
        if case .lost = activity { return .end(.failed(.sessionLost)) }
        failures = 0
        activity = .checkingPresence
        return wait(.refused(number: number))
    }

    /// Ends the card's session, also after a failure (8).
    package mutating func deselect() -> Step {
        failures = 0
        activity = .deselecting
        return .send(ISODEPBlock.deselect.bytes, waitingTime: ISODEPParameters.activationTime)
    }

    /// The exchange was aborted: card and reader are no longer synchronized.
    package mutating func giveUp() { activity = .lost }

    // MARK: What comes

    package mutating func take(_ reception: Reception) -> Step {
        guard case .block(let bytes) = reception else {
            return repeatRequest(reception == .silence ? .silence : .damaged)
        }
        failures = 0
        let block: ISODEPBlock
        do throws(ISODEPBlock.Malformation) {
            block = try ISODEPBlock(parsing: bytes.wrappedValue)
        } catch {
            return fail(.malformed(error))
        }
        switch activity {
        case .commanding(let sent, let rest): return take(block, after: sent, rest: rest)
        case .answering(let answer): return take(block, after: answer)
        case .checkingPresence:
            guard case .acknowledged = block else { return fail(.unexpectedBlock) }
            activity = .idle
            return .end(.present)
        case .deselecting:
            guard block == .deselect else { return fail(.unexpectedBlock) }
            activity = .lost
            return .end(.deselected)
        case .idle, .lost: return fail(.unexpectedBlock)
        }
    }

    private mutating func take(_ block: ISODEPBlock, after sent: ISODEPBlock, rest: ArraySlice<UInt8>) -> Step {
        switch block {
        case .acknowledged(let received) where received == number:
            // Rule 7: the card has received this part; send the next.
            guard !rest.isEmpty else { return fail(.unexpectedBlock) }
            number ^= 1
            return sendPart(of: rest)
        case .acknowledged:
            // Rule 6: the card did not receive the block.
            repetitions += 1
            guard repetitions <= Self.maximumRepetitions else { return fail(.blockNotReceived) }
            return wait(sent)
        case .information where rest.isEmpty: return take(block, after: [])
        case .waitingTimeExtension(let multiplier): return extend(multiplier)
        default: return fail(.unexpectedBlock)
        }
    }

    private mutating func take(_ block: ISODEPBlock, after answer: Wiped) -> Step {
        switch block {
        case .information(number, let more, let field):
            guard !field.isEmpty || !more else { return fail(.emptyPart) }
            guard answer.count + field.count <= Self.longestAnswer else { return fail(.answerTooLong) }
            number ^= 1
            var whole = answer
            whole.append(contentsOf: field.wrappedValue)
            guard more else {
                activity = .idle
                return .end(.answered(whole))
            }
            activity = .answering(whole)
            return wait(.acknowledged(number: number))
        case .waitingTimeExtension(let multiplier): return extend(multiplier)
        default: return fail(.unexpectedBlock)
        }
    }

    /// Rule 4: R(NAK) requests the block again. Rule 5: R(ACK) does so while the card sends an
    /// answer in parts. Rule 8: DESELECT is sent again.
    private mutating func repeatRequest(_ failure: Failure) -> Step {
        failures += 1
        guard failures <= Self.maximumRepetitions else { return fail(failure) }
        switch activity {
        case .commanding, .checkingPresence: return wait(.refused(number: number))
        case .answering: return wait(.acknowledged(number: number))
        case .deselecting: return .send(ISODEPBlock.deselect.bytes, waitingTime: ISODEPParameters.activationTime)
        case .idle, .lost: return fail(.unexpectedBlock)
        }
    }

    /// Rule 3. Confirms the multiplier; the card's next block may take that much longer.
    private mutating func extend(_ multiplier: UInt8) -> Step {
        let time = parameters.extendedTime(multiplier)
        extensions += 1
        extendedTime += time
        guard extensions <= Self.maximumExtensions, extendedTime <= Self.maximumExtendedTime else {
            return fail(.tooMuchTime)
        }
        return .send(ISODEPBlock.waitingTimeExtension(multiplier).bytes, waitingTime: time)
    }

    private mutating func sendPart(of rest: ArraySlice<UInt8>) -> Step {
        let part = Array(rest.prefix(parameters.largestField))
        let block = ISODEPBlock.information(number: number, more: part.count < rest.count, Wiped(part))
        repetitions = 0
        activity = .commanding(block: block, rest: rest.dropFirst(part.count))
        return wait(block)
    }

    private func wait(_ block: ISODEPBlock) -> Step { .send(block.bytes, waitingTime: parameters.waitingTime) }

    private mutating func fail(_ failure: Failure) -> Step {
        activity = .lost
        return .end(.failed(failure))
    }
}
