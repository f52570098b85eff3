/// The formats of logs of conversations with cards.
public enum LogFormat: String, CaseIterable, Sendable {
    /// Our own (`docs/trace-format.md`).
    case trace
    /// Commands and answers in hexadecimal digits, one a line: with a word or an arrow before each,
    /// or in turn.
    case pairs
    /// What pcscd writes with `--debug --apdu`.
    case pcscd
    case pcscSpy = "pcsc-spy"
    /// What `opensc-tool -s` prints, and OpenSC's debug log.
    case openSC = "opensc"
    /// `trace list` of ISO/IEC 14443-4, and the `>>>` and `<<<` lines of the client.
    case proxmark
    /// What scriptor of pcsc-tools prints.
    case scriptor
    /// What the window of gscriptor shows, of pcsc-tools too.
    case gscriptor
    /// What pyscard's console observer prints.
    case pyscard
    /// The debug log of python-emv.
    case pythonEMV = "python-emv"
    /// What gp.jar and apdu4j print with `-d`.
    case globalPlatformPro = "gp"
    /// A recording of cardpeek.
    case cardpeek
    /// What cardpeek's window shows.
    case cardpeekView = "cardpeek-view"
    /// The log of EMV-NFC-Paycard-Enrollment's PC/SC provider.
    case paycard
    /// A capture of a CCID reader's USB traffic: pcap or pcapng, taken from usbmon.
    case usbmon
    /// A capture of SIMtrace 2's GSMTAP datagrams: pcap or pcapng.
    case gsmtap
}

/// How the import treats a broken line or packet.
public enum BrokenParts: Sendable {
    /// The import refuses the log at the first one.
    case refused
    /// The import skips and reports them.
    case skipped
}

extension LogFormat {
    /// The detected format of `bytes`; nil if it is unknown.
    public init?(detecting bytes: [UInt8]) {
        if CaptureFile.hasMagic(bytes) {
            self = Self.isFromNetwork(bytes) ? .gsmtap : .usbmon
            return
        }
        if bytes.starts(with: TraceLine.head) || TraceLine.areAll(bytes) {
            self = .trace
            return
        }
        // The beginning of a log shows its format; the rest may be long.
        let text = LogText(Array(bytes.prefix(1 << 20)))
        var pairs = 0
        var traceLines = 0
        // opensc-tool and gscriptor write the same line before a command.
        var sends = false
        for line in text.lines {
            let words = line.content.drop { $0 == " " || $0 == "\t" }
            guard let first = words.first else { continue }
            if let found = Self.telltale(words) {
                self = found
                return
            }
            if words.hasPrefix("Sending: ") {
                sends = true
                continue
            }
            if TraceLine.isOne(words) {
                traceLines += 1
            } else if first != "#", PairsLog.kind(words) != nil {
                pairs += 1
            }
        }
        if sends {
            self = .openSC
            return
        }
        guard pairs + traceLines > 0 else { return nil }
        self = pairs == 0 ? .trace : .pairs
    }

    /// Whether the first packet of a capture is one of a network.
    private static func isFromNetwork(_ bytes: [UInt8]) -> Bool {
        guard var file = try? CaptureFile(bytes), case .packet(let first)? = file.next() else { return false }
        return GSMTAPCapture.linkTypes.contains(first.linkType)
    }

    /// The only tool that writes such a line.
    private static func telltale(_ line: Substring) -> LogFormat? {
        if ToolLog.isCardpeek(line) { return .cardpeek }
        if CardpeekView.isOne(line) { return .cardpeekView }
        if ToolLog.isPaycard(line) { return .paycard }
        if ToolLog.isGlobalPlatformPro(line) { return .globalPlatformPro }
        if line.contains("Tx: [") || line.contains("Rx: [") { return .pythonEMV }
        if ToolLog.isPyscard(line) { return .pyscard }
        if ToolLog.isScriptor(line) { return .scriptor }
        if line.contains("bSendBuffer") || line == "SCardTransmit" || line == "SCardEstablishContext" {
            return .pcscSpy
        }
        if ToolLog.isGscriptor(line) { return .gscriptor }
        if line.hasPrefix("Received (SW1=") || line.contains("Outgoing APDU") { return .openSC }
        if line.contains("| Rdr |") || line.contains("| Tag |") || line.hasPrefix("APDU response:") { return .proxmark }
        if ProxmarkLog.arrow(line)?.isFramed == true { return .proxmark }
        if PCSCDaemonLog.clock(line.split(separator: " ")) != nil { return .pcscd }
        return nil
    }
}

/// Recognises lines of our own traces.
private enum TraceLine {
    /// The beginning of those that say what they are.
    static let head = Array("# cardpresent trace ".utf8)

    /// Whether every line is a comment or begins with a single mark: a fast check, because most
    /// logs of a folder are ours. Other tools also write the marks of commands and answers, but
    /// followed by two spaces, brackets or text after a colon.
    static func areAll(_ bytes: [UInt8]) -> Bool {
        let marks = Array("><!=$~".utf8)
        var isLineStart = true
        var hasMarks = false
        var hasDigits = false
        for (index, byte) in bytes.enumerated() {
            if isLineStart, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r"), byte != UInt8(ascii: "#") {
                guard marks.contains(byte), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: " ") else {
                    return false
                }
                hasMarks = true
                hasDigits = byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<")
                if hasDigits, index + 2 < bytes.count, bytes[index + 2] == UInt8(ascii: " ") { return false }
            } else if isLineStart {
                hasDigits = false
            } else if hasDigits, byte == UInt8(ascii: ":") || byte == UInt8(ascii: "[") {
                return false
            }
            isLineStart = byte == UInt8(ascii: "\n")
        }
        return hasMarks
    }

    static func isOne(_ line: Substring) -> Bool {
        var rest = line
        if let first = rest.first, first.isNumber {
            let time = rest.prefix { $0 != " " }
            guard time.contains("."), time.allSatisfy({ $0.isNumber || $0 == "." }) else { return false }
            rest = rest.dropFirst(time.count).drop { $0 == " " }
        }
        guard let mark = rest.first, "><!=$~".contains(mark) else { return false }
        let next = rest.dropFirst().first
        return next == nil || next == " " || next?.isHexDigit == true || next == "*"
    }
}
