import Bytes
import EMVReplay
import SmartCard
import TLV

/// The source of a step's text.
enum StepSource: Sendable {
    /// A command and its answer; if it is a different one, the exchange that GET RESPONSE
    /// completes, or the one with the record in plain text.
    case exchange(ExchangeReading, APDUTrace.Exchange, whole: APDUTrace.Exchange?, isFirstCryptogram: Bool)
    case unanswered(ExchangeReading, CommandAPDU, isFirstCryptogram: Bool)
    case event(Explanation.Event)

    var event: Explanation.Event {
        switch self {
        case .exchange(let reading, let exchange, let whole, let isFirst):
            .exchange(reading.exchange(exchange, whole ?? exchange, isFirstCryptogram: isFirst))
        case .unanswered(let reading, let command, let isFirst):
            .unanswered(reading.unanswered(command, isFirstCryptogram: isFirst))
        case .event(let event): event
        }
    }

    /// An unusual aspect; nil for the normal course.
    var oddity: String? {
        guard case .exchange(let reading, let exchange, let whole, _) = self else { return nil }
        return reading.oddity(exchange, whole ?? exchange)
    }

    var isExchange: Bool { if case .exchange = self { true } else { false } }
    var isHost: Bool { if case .event(.host) = self { true } else { false } }
}

/// Combines answers that GET RESPONSE reads (T=0; EMV Contact Interface Specification, annex A).
struct AnswerCollection {
    /// The command whose answer GET RESPONSE reads, and the part received so far.
    private var collecting: (command: CommandAPDU, data: [UInt8])?

    /// The exchange as it would be without GET RESPONSE: the original command, and its answer so
    /// far; nil if that is `exchange` itself.
    mutating func whole(_ exchange: APDUTrace.Exchange) -> APDUTrace.Exchange? {
        let isContinuation = exchange.command.instruction == .getResponse
        let before = isContinuation ? collecting : nil
        let command = before?.command ?? exchange.command
        let data = before.map { $0.data + exchange.response.data } ?? exchange.response.data
        let status = exchange.response.status
        // A warning without data, and a wrong length of GET RESPONSE, are also followed by GET
        // RESPONSE (annex A7).
        let isPart = status.sw1 == 0x61 || before != nil && status.sw1 == 0x6C
        let isWarned = status.isWarning && data.isEmpty && command.hasDataBothWays
        collecting = (isPart || isWarned) && data.count <= Self.longestAnswer ? (command, data) : nil
        guard before != nil || isPart && !data.isEmpty else { return nil }
        return APDUTrace.Exchange(
            line: exchange.line, command: command, response: ResponseAPDU(isPart ? [] : data, status: status))
    }

    /// Far more than the maximum answer (EMV 4.4 Book 3, 6.1).
    private static let longestAnswer = 65_536
}

/// Parses commands and answers, with the data of the whole log about the card and its lists. All
/// steps of a log share one instance.
final class ExchangeReading: Sendable {
    private let lists: LoggedLists
    private let context: ValueContext
    private let logFormat: DOL?
    private let isRedacted: Bool
    private let writer: APDUTraceWriter

    /// - Parameter writer: A writer that knows the card numbers of the log.
    init(_ transaction: LoggedTransaction, isRedacted: Bool, _ writer: APDUTraceWriter) {
        lists = transaction.lists
        context = transaction.context
        logFormat = transaction.logFormat
        self.isRedacted = isRedacted
        self.writer = writer
    }

    /// - Parameters:
    ///   - whole: The same with the command that GET RESPONSE belongs to, or in plain text.
    ///   - isFirstCryptogram: Whether a GENERATE AC is the first, which uses CDOL1.
    func exchange(
        _ exchange: APDUTrace.Exchange, _ whole: APDUTrace.Exchange, isFirstCryptogram: Bool
    ) -> Explanation.Exchange {
        let shown = writer.digits(exchange)
        return Explanation.Exchange(
            command: text(CommandDescription.summary(exchange.command)),
            details: CommandDescription.details(exchange.command, context).map(text),
            commandParts: parts(exchange.command, shown.command), sent: sent(exchange.command, isFirstCryptogram),
            answer: answer(exchange, whole, shown.response))
    }

    /// A command without an answer.
    func unanswered(_ command: CommandAPDU, isFirstCryptogram: Bool) -> Explanation.Exchange {
        let shown = writer.digits(APDUTrace.Exchange(command: command, response: ResponseAPDU()))
        return Explanation.Exchange(
            command: text(CommandDescription.summary(command)),
            details: CommandDescription.details(command, context).map(text),
            commandParts: parts(command, shown.command), sent: sent(command, isFirstCryptogram), answer: nil)
    }

    private func text(_ text: String) -> String { isRedacted ? Masking.text(text) : Masking.plain(text) }

    // MARK: Commands

    private func parts(_ command: CommandAPDU, _ digits: String) -> [Explanation.Part] {
        var rest = digits[...]
        func take(_ count: Int) -> String {
            defer { rest = rest.dropFirst(2 * count) }
            return String(rest.prefix(2 * count))
        }
        var parts = [
            Explanation.Part("CLA", take(1)), Explanation.Part("INS", take(1), meaning: command.instruction?.name),
            Explanation.Part("P1", take(1)),
            Explanation.Part("P2", take(1)),
        ]
        let total = digits.utf8.count / 2
        let isExtended = command.data.count > 255 || (command.expectedLength ?? 0) > 256
        if !command.data.isEmpty {
            parts.append(Explanation.Part("Lc", take(isExtended ? 3 : 1), meaning: bytes(command.data.count)))
            parts.append(
                Explanation.Part(
                    "data", take(command.data.count), meaning: command.carriesPIN ? "a PIN: always hidden" : nil))
        }
        if let expected = command.expectedLength, total > 4 {
            parts.append(
                Explanation.Part("Le", take(total), meaning: expected == 256 ? "as many as there are" : bytes(expected))
            )
        }
        return parts
    }

    private func sent(_ command: CommandAPDU, _ isFirst: Bool) -> [DataField] {
        guard !command.carriesPIN else { return [] }
        if let elements = lists.elements(command, isFirst: isFirst) {
            return elements.tags.map { DataField($0, elements[$0] ?? [], isRedacted: isRedacted, context: context) }
        }
        switch command.instruction {
        case .externalAuthenticate:
            return [DataField(.issuerAuthenticationData, command.data, isRedacted: isRedacted, context: context)]
        case .select where !command.data.isEmpty:
            return [DataField(.dfName, command.data, isRedacted: isRedacted, context: context)]
        case .getProcessingOptions:
            return (try? DataField.fields(command.data, isRedacted: isRedacted, context: context)) ?? []
        default: return []
        }
    }

    // MARK: Answers

    /// - Parameter whole: The same with the command that GET RESPONSE belongs to, or in plain text.
    private func answer(_ exchange: APDUTrace.Exchange, _ whole: APDUTrace.Exchange, _ digits: String)
        -> Explanation.Answer
    {
        let (data, status) = (exchange.response.data, exchange.response.status)
        var parts: [Explanation.Part] = []
        if !data.isEmpty {
            let isEnciphered = exchange.command.instruction == .readRecord && whole.response.data != data
            let meaning = bytes(data.count) + (isEnciphered ? ", enciphered" : "")
            parts.append(Explanation.Part("data", String(digits.dropLast(4)), meaning: meaning))
        }
        parts.append(Explanation.Part("SW1 SW2", String(digits.suffix(4)), meaning: status.summary))
        let (fields, problem) = fields(whole)
        return Explanation.Answer(
            parts: parts, fields: fields, problem: problem, status: status.description, statusWords: status.summary,
            meaning: meaning(whole), isExpected: isExpected(whole))
    }

    /// An unexpected status, or data that cannot be parsed.
    func oddity(_ exchange: APDUTrace.Exchange, _ whole: APDUTrace.Exchange) -> String? {
        let status = whole.response.status
        if !isExpected(whole) {
            return
                "\(text(CommandDescription.summary(exchange.command))) was answered \(status), \(meaning(whole) ?? status.summary)"
        }
        return problem(whole).map { "the answer to \(text(CommandDescription.summary(exchange.command))) is \($0)" }
    }

    /// Why the data cannot be parsed; nil if they can.
    private func problem(_ exchange: APDUTrace.Exchange) -> String? {
        let data = exchange.response.data
        guard !data.isEmpty, !isOpaque(exchange), FormatOne.values(exchange) == nil else { return nil }
        let (bytes, padding) = TLVPadding.zeroed(data)
        var walker = TLVWalker()
        do {
            while try walker.next(in: bytes.span) != nil {}
        } catch {
            return "not BER-TLV: \(error)"
        }
        guard padding > 0 else { return nil }
        return
            "padded with \(padding == 1 ? "1 byte" : "\(padding) bytes") FF, which ISO/IEC 7816-4 allows and EMV 4.4 Book 3, annex B, does not: the kernel takes FF for a tag, and terminates"
    }

    /// Data that are not data objects, even if they look like them.
    private func isOpaque(_ exchange: APDUTrace.Exchange) -> Bool {
        switch exchange.command.instruction {
        case .getChallenge, .readData, .writeData: true
        case .readRecord: exchange.command.sfi > 10
        default: false
        }
    }

    private func meaning(_ exchange: APDUTrace.Exchange) -> String? {
        let meaning = exchange.response.status.meaning(for: exchange.command)
        guard exchange.command.instruction == .externalAuthenticate, exchange.response.status == .wrongLength else {
            return meaning
        }
        let sent = "\(bytes(exchange.command.data.count)) sent, "
        guard let method = context.issuerResponse else { return "\(meaning ?? ""): \(sent)8 to 16 are possible" }
        return "\(meaning ?? ""): \(sent)and the card's version requires \(method.summary)"
    }

    private func fields(_ exchange: APDUTrace.Exchange) -> ([DataField], problem: String?) {
        let data = exchange.response.data
        guard !data.isEmpty else { return ([], nil) }
        if isOpaque(exchange) { return (exchange.command.instruction == .readRecord ? logRecord(data) : [], nil) }
        if let values = FormatOne.values(exchange) {
            return (values.map { DataField($0.0, Array($0.1), isRedacted: isRedacted, context: context) }, nil)
        }
        let (fields, problem) = DataField.readableFields(data, isRedacted: isRedacted, context: context)
        return (fields, problem.map { "not BER-TLV: \($0)" })
    }

    /// A record of a file outside EMV: of the transaction log if the log format matches (EMV 4.4
    /// Book 3, annex D), else bytes defined by the issuer.
    private func logRecord(_ data: [UInt8]) -> [DataField] {
        guard let values = logFormat?.split(data) else { return [] }
        return values.tags.map { DataField($0, values[$0] ?? [], isRedacted: isRedacted, context: context) }
    }

    /// Expected statuses: the end of a directory, optional data, transport.
    private func isExpected(_ exchange: APDUTrace.Exchange) -> Bool {
        let status = exchange.response.status
        if status == .success || [0x61, 0x6C].contains(status.sw1) { return true }
        switch exchange.command.instruction {
        case .select: return status == .fileNotFound
        case .readRecord: return status == .recordNotFound
        case .getData: return true
        default: return false
        }
    }

    private func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
}

/// Answers in format 1: a template 80 with values and no tags (EMV 4.4 Book 3, 6.5.5.4, 6.5.8.4 and
/// 6.5.9.4).
private enum FormatOne {
    /// The values with their tags; nil if the answer is invalid.
    static func values(_ exchange: APDUTrace.Exchange) -> [(Tag, ArraySlice<UInt8>)]? {
        var walker = TLVWalker()
        let data = exchange.response.data
        guard let template = try? walker.next(in: data.span), template.tag == .responseTemplate1,
            template.value.upperBound == data.count
        else {
            return nil
        }
        let value = data[template.value]
        let start = value.startIndex
        let values: [(Tag, ArraySlice<UInt8>)]
        switch exchange.command.instruction {
        case .getProcessingOptions where value.count >= 2:
            values = [(.applicationInterchangeProfile, value.prefix(2)), (.applicationFileLocator, value.dropFirst(2))]
        case .generateAC where value.count >= 11:
            values = [
                (.cryptogramInformationData, value[start..<start + 1]),
                (.applicationTransactionCounter, value[start + 1..<start + 3]),
                (.applicationCryptogram, value[start + 3..<start + 11]),
                (.issuerApplicationData, value[(start + 11)...]),
            ]
        case .internalAuthenticate: values = [(.signedDynamicApplicationData, value)]
        default: return nil
        }
        return values.filter { !$0.1.isEmpty }
    }
}

extension APDUTraceWriter {
    /// The digits of a command and its answer, masked as in a trace: two characters for each byte.
    /// The writer must know the log.
    fileprivate func digits(_ exchange: APDUTrace.Exchange) -> (command: String, response: String) {
        var writer = self
        let lines = writer.lines(exchange).split(separator: "\n").map { String($0.dropFirst(2)) }
        return (lines.first ?? "", lines.dropFirst().first ?? "")
    }
}
