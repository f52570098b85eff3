public import Console
import EMVReplay
public import SmartCard
import TLV

/// A conversation in words: every command named, every answer's data objects decoded.
public struct TraceExplanation: Sendable {
    private let isRedacted: Bool

    public init(isRedacted: Bool) { self.isRedacted = isRedacted }

    public func print(_ trace: APDUTrace, _ console: Console, indent: String = "") {
        let sent = SentElements(trace)
        for exchange in trace.exchanges {
            Swift.print(indent + console.paint(title(exchange), .cyan))
            for line in contents(exchange, sent) { Swift.print(indent + "    " + line) }
        }
    }

    /// The same as lines of text.
    public func lines(_ trace: APDUTrace) -> [String] {
        let sent = SentElements(trace)
        return trace.exchanges.flatMap { [title($0)] + contents($0, sent).map { "    " + $0 } }
    }

    private func contents(_ exchange: APDUTrace.Exchange, _ sent: SentElements) -> [String] {
        let elements = sent.elements(of: exchange)
        let values = (elements.map { Array($0.tags) } ?? []).flatMap { tag in
            TLVDescription.lines(tag, elements?[tag] ?? [], isRedacted: isRedacted).map {
                "sent " + String(repeating: "  ", count: $0.depth) + $0.text
            }
        }
        return values + answer(exchange.response.data)
    }

    /// One line: where it stands, what was asked, how it ended.
    public func title(_ exchange: APDUTrace.Exchange) -> String {
        let place = exchange.line > 0 ? "line \(exchange.line): " : ""
        return "\(place)\(CommandDescription.words(exchange.command)) → \(exchange.response.status) \(exchange.response.status.words)"
    }

    private func answer(_ data: [UInt8]) -> [String] {
        guard !data.isEmpty else { return [] }
        if data[0] == 0x80, let lines = FormatOne.lines(data) { return lines }
        do {
            return try TLVDescription.lines(data, isRedacted: isRedacted).map { String(repeating: "  ", count: $0.depth) + $0.text }
        } catch {
            return ["no BER-TLV: \(error)"]
        }
    }
}

/// Answers in format 1 (EMV 4.4 Book 3, 6.5.5.4 and 6.5.8.4), told apart by their length: AIP and AFL, or cryptogram information and cryptogram.
private enum FormatOne {
    static func lines(_ data: [UInt8]) -> [String]? {
        let value = Array(data.dropFirst(2))
        guard data.count >= 2, Int(data[1]) == value.count, value.count >= 6 else { return nil }
        let fields: [(Tag, ArraySlice<UInt8>)] =
            value.count % 4 == 2 && ApplicationFileLocator(Array(value[2...])) != nil
            ? [(.applicationInterchangeProfile, value[..<2]), (.applicationFileLocator, value[2...])]
            : value.count < 11
                ? []
                : [
                    (.cryptogramInformationData, value[..<1]), (.applicationTransactionCounter, value[1..<3]),
                    (.applicationCryptogram, value[3..<11]), (.issuerApplicationData, value[11...]),
                ]
        return fields.flatMap { tag, bytes in
            TLVDescription.lines(tag, Array(bytes)).map { String(repeating: "  ", count: $0.depth) + $0.text }
        }
    }
}
