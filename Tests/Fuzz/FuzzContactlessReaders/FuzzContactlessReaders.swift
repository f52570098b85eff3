import CFuzzer
import Modules

@c(FuzzContactlessReaders_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The first byte says what the rest is: what a card says of itself, its blocks, or a chip's line.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    switch kind % 3 {
    case 0: answers(rest)
    case 1: blocks(rest)
    default: frames(rest)
    }
    return 0
}

private func answers(_ bytes: [UInt8]) {
    if let answer = try? AnswerToSelect(parsing: bytes) {
        precondition((16...256).contains(answer.parameters.cardFrameSize) && answer.historicalBytes.count < bytes.count)
        precondition(answer.parameters.waitingTime < .seconds(5) && answer.parameters.guardTime < .seconds(5))
    }
    if let answer = try? AnswerToRequestB(parsing: bytes) {
        precondition(answer.parameters.waitingTime < .seconds(5) && answer.selection(frameSizeInteger: 8).count == 9)
    }
    _ = AnswerToRequestB.maximumBufferLengthIndex(bytes)
    if case .transmissionProtocol(let historical) = ContactlessAnswerToReset(bytes)?.card {
        precondition(historical.count <= 15)
    }
    for type in [PN53xCommand.CardType.typeA, .typeB] { _ = PN53xCards(parsing: bytes, type) }
    _ = PN53xActivation(parsing: bytes)?.isCard
    switch PN53xTargetData(parsing: bytes) {
    case .part(let part, _): precondition(part.count == bytes.count - 1)
    case .over(let departure): precondition(!departure.description.isEmpty)
    case nil: precondition(bytes.isEmpty)
    }
}

/// A card that sends these, each block with its length before it; where the length's upper bit is
/// set, nothing or something damaged came. A command ends in few blocks in any case, and each of
/// them fits the card.
private func blocks(_ bytes: [UInt8]) {
    if let block = try? ISODEPBlock(parsing: bytes) { precondition((try? ISODEPBlock(parsing: block.bytes)) == block) }
    let parameters = ISODEPParameters(
        frameSizeInteger: UInt8(bytes.count & 0x0F), frameWaitingInteger: 4, guardInteger: 0)
    var exchange = ISODEPExchange(parameters)
    var rest = bytes[...]
    for length in [0, 40, 300] {
        var count = 0
        let answer = try? exchange.transmit(CommandAPDU(ins: 0xDA, data: [UInt8](repeating: 0xAA, count: length))) {
            block, time throws(CardChannelError) in
            count += 1
            precondition(count < 70_000 && block.count + 2 <= parameters.cardFrameSize && time < .seconds(6))
            guard let length = rest.popFirst() else { return .silence }
            guard length & 0x80 == 0 else { return length & 1 == 0 ? .silence : .damaged }
            let field = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(field.count)
            return .block(Wiped(field))
        }
        if let answer { precondition(answer.data.count <= 65536) }
        _ = try? exchange.isPresent { _, _ throws(CardChannelError) in .block([0xA2]) }
    }
}

/// What a decoder takes for an answer is framed again, to the same answer; what comes in between is
/// passed over.
private func frames(_ bytes: [UInt8]) {
    var decoder = PN53xDecoder()
    for byte in bytes {
        guard case .answer(let answer) = decoder.take(byte) else { continue }
        precondition(!answer.isEmpty && answer.count < PN53xFrame.longestData)
        // The host's frame of the same data, with the chip's TFI and the check sum that goes with
        // it.
        var frame = PN53xFrame.encode(answer.wrappedValue)
        let start = frame.count - answer.count - 3
        frame[start] = 0xD5
        frame[frame.count - 2] &-= 1
        var again = PN53xDecoder()
        precondition(frame.compactMap { again.take($0) } == [.answer(answer)])
    }
}
