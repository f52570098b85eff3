import CFuzzer
import Modules

@c(FuzzPinPads_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The first byte says whose line the rest is. What a decoder takes for whole is encoded again, to
/// the same bytes; nothing printed shows any of it.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    switch kind % 3 {
    case 0: abecs(rest)
    case 1: miura(rest)
    default: gemPC(rest)
    }
    return 0
}

private func abecs(_ bytes: [UInt8]) {
    var decoder = ABECSFrameDecoder()
    for byte in bytes {
        guard case .packet(let packet) = decoder.take(byte) else { continue }
        precondition(packet.count <= ABECSFrame.longest)
        if let frame = ABECSFrame.encode(packet) {
            var again = ABECSFrameDecoder()
            precondition(frame.compactMap { again.take($0) } == [.packet(packet)])
        }
        message(packet)
    }
    message(bytes)
}

private func message(_ packet: [UInt8]) {
    guard let answer = ABECSAnswer(packet) else { return }
    _ = answer.notification
    for parameter in answer.parameters ?? [] { precondition("\(parameter)".utf8.count < 60) }
    precondition("\(answer)".utf8.count < 60)
}

private func miura(_ bytes: [UInt8]) {
    if let packet = MiuraPacket(parsing: bytes) { precondition(packet.bytes == bytes) }
    // The same messages come out however the line cuts the bytes.
    var (whole, pieces) = (MiuraAssembler(), MiuraAssembler())
    let messages = try? whole.take(bytes)
    var others: [MiuraMessage]? = []
    for byte in bytes {
        guard let new = try? pieces.take([byte]) else {
            others = nil
            break
        }
        others? += new
    }
    precondition(messages == others)
    for message in messages ?? [] { precondition("\(message)".utf8.count < 60) }
    if bytes.count >= 2 {
        var assembler = MiuraAssembler()
        let again = try? assembler.take(MiuraPacket.packets(bytes).flatMap(\.bytes))
        precondition(again?.count == 1 && again?.first?.body == Array(bytes.dropLast(2)))
    }
}

private func gemPC(_ bytes: [UInt8]) {
    var decoder = GemPCDecoder()
    for byte in bytes {
        guard case .message(let message) = decoder.take(byte) else { continue }
        precondition(message.count <= GemPCFrame.longestMessage)
        var again = GemPCDecoder()
        precondition(GemPCFrame.encode(message.wrappedValue).compactMap { again.take($0) } == [.message(message)])
    }
}
