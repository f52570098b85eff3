private import Bytes
package import TLV

/// What a trace may show.
public enum TraceDisclosure: Sendable {
    /// Card data are hidden by ``Redaction``, PINs always.
    case redacted
    /// Everything but PINs: for test cards only.
    case testCard
}

/// Writes events as lines of a trace, and hides secrets: data objects that identify the card, every
/// repetition of a PAN once seen, PINs.
public struct APDUTraceWriter: Sendable {
    private let disclosure: TraceDisclosure
    private let showsTimes: Bool
    private var seen = SeenCardNumbers()
    /// Whether every PAN of the trace is known: answers then need no further search.
    private var knowsAll = false

    /// - Parameter showsTimes: Writes the times of events. The texts of two runs then always
    ///   differ.
    public init(_ disclosure: TraceDisclosure, showsTimes: Bool = false) {
        self.disclosure = disclosure
        self.showsTimes = showsTimes
    }

    /// The first line of a trace.
    public var head: String { "# cardpresent trace 2\(disclosure == .redacted ? ", card data hidden" : "")\n" }

    /// The whole text of `trace`. Every PAN in it is known before the first line is written.
    public mutating func text(_ trace: APDUTrace) -> String {
        for exchange in trace.exchanges { remember(exchange.response.data) }
        let metadata = trace.metadata.map { name, value in
            "# \(name): \(APDUTrace.technicalMetadata.contains(name) ? oneLine(value) : words(value))\n"
        }
        return trace.entries.reduce(into: head + metadata.joined()) { $0 += lines($1) }
    }

    /// Collects every PAN in `trace`, before its lines are written.
    package mutating func learn(_ trace: APDUTrace) {
        for entry in trace.entries {
            if case .exchange(let exchange) = entry.event { remember(exchange.response.data) }
        }
        knowsAll = true
    }

    /// The lines of one event, with their line ends.
    public mutating func lines(_ entry: APDUTrace.Entry) -> String {
        let time = column(entry.time)
        return switch entry.event {
        case .exchange(let exchange): lines(exchange)
        case .unanswered(let command): time + line(command)
        case .reader(.reset(let bytes)): "\(time)! reset \(answerToReset(bytes))\n"
        case .reader(let event): "\(time)! \(words(event.text))\n"
        case .decision(let decision): "\(time)= \(words("\(decision.phase): \(decision.summary)"))\n"
        case .host(let message): "\(time)$ \(message.direction.rawValue) \(words(message.text))\n"
        case .wire(let wire): "\(time)~ \(wire.direction.rawValue) \(hidingBytes(oneLine(wire.text)))\n"
        }
    }

    /// The two lines of one exchange, with their line ends.
    public mutating func lines(_ exchange: APDUTrace.Exchange) -> String {
        if !knowsAll { remember(exchange.response.data) }
        return column(exchange.sent) + line(exchange.command) + column(exchange.received)
            + "< \(answer(exchange.response))\n"
    }

    // MARK: Parts of a line

    private func column(_ time: Duration?) -> String { showsTimes ? time.map { "\($0.secondsText) " } ?? "" : "" }

    /// `text` on one line, without possible card numbers.
    private func words(_ text: String) -> String {
        let line = oneLine(text)
        return disclosure == .redacted ? CardNumberScan.masked(hidingPANs(line)) : line
    }

    private func oneLine(_ text: String) -> String {
        Masking.plain(
            text.contains(where: \.isNewline) ? text.split(whereSeparator: \.isNewline).joined(separator: " ") : text)
    }

    private func line(_ command: CommandAPDU) -> String {
        var shown = command.header.hex
        if !command.data.isEmpty {
            shown += lengthField(command)
            shown +=
                command.carriesPIN ? String(repeating: Redaction.mask, count: command.data.count * 2) : data(command)
        }
        shown +=
            command.bytes.dropFirst(
                4 + (command.data.isEmpty ? 0 : lengthField(command).count / 2 + command.data.count)
            ).hex
        return "> \(shown)\n"
    }

    private func data(_ command: CommandAPDU) -> String {
        guard disclosure == .redacted else { return command.data.hex }
        if command.sendsList { return hidingPANs(command.data.hex) }
        // The name of an application or a file.
        return hidingPANs(CardNumberScan.maskedHex(command.data, command.instruction == .select ? .text : .unknown))
    }

    private func lengthField(_ command: CommandAPDU) -> String {
        let isExtended = command.data.count > 255 || (command.expectedLength ?? 0) > 256
        return isExtended
            ? "00" + UInt16(truncatingIfNeeded: command.data.count).hex
            : UInt8(truncatingIfNeeded: command.data.count).hex
    }

    private func answer(_ response: ResponseAPDU) -> String {
        guard disclosure == .redacted, !response.data.isEmpty else { return hidingPANs(response.bytes.hex) }
        return hidingPANs(Masking.hex(tlv: response.data)) + response.status.description
    }

    /// Its historical bytes are the card's own.
    private func answerToReset(_ bytes: [UInt8]) -> String {
        disclosure == .redacted ? hidingPANs(CardNumberScan.maskedHex(bytes, .structure)) : bytes.hex
    }

    /// Bytes that a driver hides stay hidden; of any other transfer only the length is shown,
    /// because its content is not known here.
    private func hidingBytes(_ wire: String) -> String {
        guard disclosure == .redacted, let space = wire.lastIndex(of: " "), !wire[space...].contains(".") else {
            return wire
        }
        return wire[...space] + String(repeating: "..", count: wire[wire.index(after: space)...].count / 2)
    }

    // MARK: PANs

    /// Hides from now on the card numbers in `elements`, which a command sends without tags.
    package mutating func remember(_ elements: DataElements) {
        for tag in elements.tags { remember(numbers: elements[tag].map { CardNumbers.all(in: $0, of: tag) } ?? []) }
    }

    private mutating func remember(_ data: [UInt8]) { remember(numbers: CardNumbers.all(in: data)) }

    private mutating func remember(numbers: [[UInt8]]) {
        guard disclosure == .redacted else { return }
        for number in numbers { seen.insert(number) }
    }

    private func hidingPANs(_ text: String) -> String { seen.hidden(in: text) }
}

extension CommandAPDU {
    /// Its data are the values of a DOL without tags: adjacent digits may look like a card number
    /// by chance.
    fileprivate var sendsList: Bool {
        switch instruction {
        case .getProcessingOptions, .generateAC, .internalAuthenticate, .externalAuthenticate: true
        default: false
        }
    }
}
