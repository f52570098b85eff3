public import SmartCard

/// A log of any tool as a trace.
public struct LogImport: Sendable {
    public let format: LogFormat
    public let trace: APDUTrace
    /// What is left out: broken parts, if they are skipped, and what the log itself lost, such as
    /// an answer or a frame that another one disturbed.
    public let problems: [LogProblem]

    /// Far more than any log of a transaction has.
    public static let maximumSize = 64 << 20

    /// - Parameters:
    ///   - format: Nil to detect it.
    ///   - hiddenDigits: Only for our own format: other formats have none.
    /// - Throws: The first broken part, if they are refused; or an error for a log without
    ///   commands.
    public init(
        _ bytes: [UInt8], format: LogFormat? = nil, brokenParts: BrokenParts = .refused,
        hiddenDigits: APDUTrace.HiddenDigits = .refused
    ) throws(LogProblem) {
        guard bytes.count <= Self.maximumSize else { throw LogProblem(.whole, .tooLarge) }
        let bytes = ByteOrderMark.inUTF8(bytes)
        // An unknown format is parsed as ours, so that the error has a line.
        let detected = LogFormat(detecting: bytes)
        let isKnown = format != nil || detected != nil
        if !isKnown, bytes.starts(with: Self.headOfScan) { throw LogProblem(.whole, .answersToResetAlone) }
        let format = format ?? detected ?? .trace
        self.format = format
        if format == .trace {
            do throws(LogProblem) {
                (trace, problems) = try Self.trace(bytes, brokenParts, hiddenDigits)
            } catch {
                if isKnown { throw error }
                switch (error.reason, error.place) {
                case (.trace(.empty), _): throw error
                case (.trace(let reason), .line(let number)):
                    throw LogProblem(.whole, .unknownFormat(APDUTraceError(line: number, reason: reason)))
                default: throw LogProblem(.whole, .unknownFormat(nil))
                }
            }
            return
        }
        var conversation = Conversation(brokenParts)
        switch format {
        case .trace, .pairs: try PairsLog.read(LogText(bytes), &conversation)
        case .pcscd: try PCSCDaemonLog.read(LogText(bytes), &conversation)
        case .pcscSpy: try PCSCSpyLog.read(LogText(bytes), &conversation)
        case .openSC: try OpenSCLog.read(LogText(bytes), &conversation)
        case .proxmark: try ProxmarkLog.read(LogText(bytes), &conversation)
        case .scriptor: try ToolLog.read(LogText(bytes), &conversation, ToolLog.scriptor)
        case .gscriptor: try ToolLog.read(LogText(bytes), &conversation, ToolLog.gscriptor)
        case .pyscard: try ToolLog.read(LogText(bytes), &conversation, ToolLog.pyscard)
        case .pythonEMV: try ToolLog.read(LogText(bytes), &conversation, ToolLog.pythonEMV)
        case .globalPlatformPro: try ToolLog.read(LogText(bytes), &conversation, ToolLog.globalPlatformPro)
        case .cardpeek: try ToolLog.read(LogText(bytes), &conversation, ToolLog.cardpeek)
        case .cardpeekView: try CardpeekView.read(LogText(bytes), &conversation)
        case .paycard: try ToolLog.read(LogText(bytes), &conversation, ToolLog.paycard)
        case .usbmon: try USBCapture.read(bytes, &conversation)
        case .gsmtap: try GSMTAPCapture.read(bytes, &conversation)
        }
        (trace, problems) = try conversation.finished()
    }

    /// pcsc_scan's first line.
    private static let headOfScan = Array("PC/SC device scanner".utf8)

    private static func trace(
        _ bytes: [UInt8], _ brokenParts: BrokenParts, _ hiddenDigits: APDUTrace.HiddenDigits
    ) throws(LogProblem) -> (APDUTrace, [LogProblem]) {
        guard (try? UTF8Span(validating: bytes.span)) != nil else { throw LogProblem(.whole, .notUTF8) }
        switch brokenParts {
        case .refused:
            do throws(APDUTraceError) {
                return (try APDUTrace(parsing: bytes, hiddenDigits: hiddenDigits), [])
            } catch {
                throw LogProblem(error)
            }
        case .skipped:
            var problems: [APDUTraceError] = []
            let trace = APDUTrace(parsing: bytes, hiddenDigits: hiddenDigits, skipping: &problems)
            if let last = problems.last, last.reason == .empty { throw LogProblem(problems[0]) }
            return (trace, problems.map { LogProblem($0) })
        }
    }
}

extension LogProblem {
    init(_ error: APDUTraceError) {
        self.init(.line(error.line), .trace(error.reason))
    }
}
