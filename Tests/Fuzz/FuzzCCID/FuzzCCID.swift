import CFuzzer
import Dispatch
import Modules

@c(FuzzCCID_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A chip card reader that the fuzzer made up, from its descriptor to its last answer: opening, a
/// card's activation and three commands end, however they end.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        await use(bytes)
        done.signal()
    }
    done.wait()
    blocks(bytes)
    return 0
}

private func use(_ bytes: [UInt8]) async {
    do {
        let reader = try CCIDReader(name: "invented", rules: .isoAtFullSpeed, interface: nil) { _ throws(DeviceError) in
            try InventedReader(bytes)
        }
        for slot in try await reader.open().prefix(1) {
            let channel = try await slot.activate()
            for command in [
                CommandAPDU(ins: 0xA4, p1: 4, data: [0xA0, 0, 0, 0, 3], expectedLength: 256),
                CommandAPDU(ins: 0xB2, expectedLength: 256),
                CommandAPDU(ins: 0xDA, data: [UInt8](repeating: 0xAA, count: 300), expectedLength: 65536),
            ] {
                if let response = try? await channel.transmit(command) {
                    precondition(response.data.count <= 65536 + 8 * 256)
                }
            }
            _ = try await slot.isCardPresent
        }
        await reader.close()
    } catch {
        precondition(!"\(error)".isEmpty)
    }
}

/// The host's T=1 with a card that sends these bytes as blocks: it ends in a bounded number of
/// them.
private func blocks(_ bytes: [UInt8]) {
    guard let answer = try? AnswerToReset(parsing: [0x3B, 0x80, 0x81, 0x21, 0x45, 0x65]),
        let parameters = CardParameters(answer)
    else {
        return
    }
    var exchange = T1Exchange(parameters)
    var rest = bytes[...]
    for _ in 0..<3 {
        var count = 0
        _ = try? exchange.transmit([UInt8](repeating: 0xB0, count: 100)) { _, _ throws(CardChannelError) in
            count += 1
            precondition(count < 5000, "an exchange ends")
            guard let length = rest.popFirst() else { throw .timedOut }
            let body = Array(rest.prefix(Int(length & 0x3F)))
            rest = rest.dropFirst(body.count)
            // The check byte is put right where the fuzzer lets it.
            return .bytes(length & 0x80 == 0 ? body + [body.reduce(0, ^)] : body)
        }
    }
}

/// Sends one string of bytes: the class descriptor, then transfers, each with its length before it.
/// Where the length's upper bit is set, the transfer gets number, slot and length of an answer to
/// the last command.
private final class InventedReader: USBTransport {
    let name = "invented"
    let descriptors: USBDescriptors
    private var rest: ArraySlice<UInt8>
    private var last: [UInt8] = []
    private var notifications = 0

    init(_ bytes: [UInt8]) throws(DeviceError) {
        let device: [UInt8] = [
            18, 1, 0, 2, 0, 0, 0, 64, 0x34, 0x12, 1, 0, 0, 1, 1, 2, 0, 1, 9, 2, 93, 0, 1, 1, 0, 0x80, 50,
        ]
        let endpoints: [UInt8] = [7, 5, 0x01, 2, 64, 0, 0, 7, 5, 0x82, 2, 64, 0, 0, 7, 5, 0x83, 3, 8, 0, 16]
        descriptors = try USBDescriptors(
            parsing: device + [9, 4, 0, 0, 3, 0x0B, 0, 0, 0] + endpoints + [54, 0x21] + bytes.prefix(52))
        rest = bytes.dropFirst(52)
    }

    func claim(interface: UInt8) throws(DeviceError) {}
    func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {}
    func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        throw .stalled
    }
    func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) { last = bytes }
    func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError) {}
    func clearHalt(endpoint: UInt8) throws(DeviceError) {}
    var readiness: Int32 { -1 }

    func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        var transfer = try next()
        if transfer.isFitted, transfer.bytes.count >= 10, last.count >= 10 {
            let length = transfer.bytes.count - 10
            transfer.bytes.replaceSubrange(
                1..<7, with: [UInt8(length & 0xFF), UInt8(length >> 8), 0, 0, last[5], last[6]])
        }
        return Array(transfer.bytes.prefix(count))
    }

    func heard() throws(DeviceError) -> [UInt8]? {
        notifications += 1
        return notifications % 3 == 0 ? try next().bytes : nil
    }

    private func next() throws(DeviceError) -> (bytes: [UInt8], isFitted: Bool) {
        guard let length = rest.popFirst() else { throw .disconnected }
        if length == 0x7F { throw .timedOut }
        if length == 0x7E { throw .stalled }
        let bytes = Array(rest.prefix(Int(length & 0x7F)))
        rest = rest.dropFirst(bytes.count)
        return (bytes, length & 0x80 != 0)
    }
}
