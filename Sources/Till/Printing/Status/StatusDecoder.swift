/// Takes apart what a printer sends: answers, automatic status and end markers, in parts of any
/// size. Anything else is skipped byte by byte.
public struct StatusDecoder: Sendable {
    public enum Message: Sendable, Equatable {
        /// Everything that is known by now.
        case status(PrinterStatus)
        /// All data before the marker of this number are printed.
        case end(UInt16)
        /// The printer speaks another language than its profile says.
        case otherLanguage
    }

    /// What was asked by ``request()`` and is not answered yet.
    private var awaited: [PrinterStatus.RealTimeRequest] = []
    /// Whether a status of Star was asked for, which comes as one message.
    private var awaitsStar = false
    private let isStar: Bool
    private var status = PrinterStatus()
    private var buffer: [UInt8] = []

    public init(_ language: PrinterProfile.Language) { isStar = language != .escPOS }

    /// Whether an answer to ``request()`` is missing.
    public var isWaiting: Bool { !awaited.isEmpty || awaitsStar }

    /// The bytes that ask for the whole status, in real time: `DLE EOT` 1 to 4, or Star's
    /// `ESC ACK SOH`.
    public mutating func request() -> [UInt8] {
        if isStar {
            awaitsStar = true
            return [0x1B, 0x06, 0x01]
        }
        awaited = PrinterStatus.RealTimeRequest.allCases
        return awaited.flatMap { [0x10, 0x04, $0.rawValue] }
    }

    public mutating func receive(_ bytes: [UInt8]) -> [Message] {
        buffer += bytes
        var messages: [Message] = []
        while let head = buffer.first {
            let step = isStar ? star(head) : escPOS(head)
            guard case .taken(let count, let message) = step else { break }
            buffer.removeFirst(min(count, buffer.count))
            if let message { messages.append(message) }
        }
        return messages
    }

    private enum Step {
        case incomplete
        case taken(Int, Message?)
    }

    // MARK: ESC/POS

    private mutating func escPOS(_ head: UInt8) -> Step {
        if PrinterStatus.isRealTime(head) { return .taken(1, answer(head)) }
        if PrinterStatus.isAutomatic(head) {
            guard buffer.count >= 4 else { return .incomplete }
            guard let automatic = PrinterStatus(automatic: Array(buffer.prefix(4))) else { return .taken(1, nil) }
            status.update(with: automatic, faults: true)
            return .taken(4, .status(status))
        }
        if head == 0x37 { return marker() }
        return .taken(1, !awaited.isEmpty && PrinterStatus.starLength(head) != nil ? .otherLanguage : nil)
    }

    /// The answers come in the order of the requests.
    private mutating func answer(_ byte: UInt8) -> Message? {
        guard let request = awaited.first, let said = PrinterStatus(realTime: byte, to: request) else { return nil }
        awaited.removeFirst()
        status.update(with: said, faults: request == .error)
        return .status(status)
    }

    /// `37 22 d1 d2 d3 d4 00` (Epson, ESC/POS Command Reference, GS ( H function 48).
    private func marker() -> Step {
        let known: [UInt8] = [0x37, 0x22]
        guard buffer.count >= 2 else { return .incomplete }
        guard buffer.starts(with: known) else { return .taken(1, nil) }
        guard buffer.count >= 7 else { return .incomplete }
        guard buffer[6] == 0, let id = UInt16(String(decoding: buffer[2..<6], as: UTF8.self), radix: 16) else {
            return .taken(1, nil)
        }
        return .taken(7, .end(id))
    }

    // MARK: Star

    private mutating func star(_ head: UInt8) -> Step {
        if let length = PrinterStatus.starLength(head) {
            guard buffer.count >= length else { return .incomplete }
            guard let automatic = PrinterStatus(star: Array(buffer.prefix(length))) else { return .taken(1, nil) }
            awaitsStar = false
            status.update(with: automatic, faults: true)
            return .taken(length, .status(status))
        }
        if head == 0x1B { return counter() }
        return .taken(1, awaitsStar && PrinterStatus.isRealTime(head) ? .otherLanguage : nil)
    }

    /// `1B 1D 03 s n1 n2`, the counter, `00` (StarPRNT Command Specifications, print document
    /// counter).
    private func counter() -> Step {
        let known: [UInt8] = [0x1B, 0x1D, 0x03, 0x01]
        guard buffer.prefix(4).elementsEqual(known.prefix(buffer.count)) else { return .taken(1, nil) }
        guard buffer.count >= 8 else { return .incomplete }
        guard buffer[7] == 0 else { return .taken(1, nil) }
        return .taken(8, .end(UInt16(buffer[4]) | UInt16(buffer[5]) << 8))
    }
}
