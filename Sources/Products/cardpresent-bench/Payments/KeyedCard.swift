import Bytes
import CardCapture
import Console
import PaymentTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Card data that a person keys.
struct KeyedCard {
    let details: CardDetails
    /// Three or four digits; nil if it was left out.
    let cvv: SecretBytes?

    var source: Sale.Source { .keyed(details, cvv: cvv) }

    /// The data from standard input: the number, the expiry date MMYY, and the CVV or an empty line.
    /// A terminal is asked, and shows nothing of them.
    static func read() throws(InputError) -> KeyedCard {
        let isTerminal = isatty(STDIN_FILENO) == 1
        let before = isTerminal ? TerminalInput.hidden() : nil
        defer { before?.restore() }
        var lines: [[UInt8]] = []
        defer { for index in lines.indices { wipe(&lines[index]) } }
        for name in ["Card number", "Expiry date MMYY", "CVV, or an empty line"] {
            if isTerminal { Progress.note("\(name):") }
            guard let line = try line() else { break }
            lines.append(line)
        }
        return try KeyedCard(lines)
    }

    private init(_ lines: [[UInt8]]) throws(InputError) {
        guard lines.count >= 2 else {
            throw InputError(
                "standard input has no card: give the number, the expiry date MMYY and the CVV, a line each")
        }
        guard let expiry = ExpiryDate(mmyy: String(decoding: lines[1], as: UTF8.self)) else {
            throw InputError("line 2 is not an expiry date MMYY, as 1230 for December 2030")
        }
        let cvv = lines.count > 2 && !lines[2].isEmpty ? lines[2] : nil
        guard cvv.map({ (3...4).contains($0.count) && $0.allSatisfy { (0x30...0x39).contains($0) } }) ?? true else {
            throw InputError("line 3 is not a CVV of three or four digits")
        }
        var digits = lines[0].filter { $0 != UInt8(ascii: " ") }
        do throws(CardDetailsError) {
            details = try CardDetails(pan: SecretBytes(wiping: &digits), expiry: expiry, cardholderName: nil)
        } catch {
            throw InputError("line 1: \(error)")
        }
        self.cvv = cvv.map { SecretBytes($0) }
    }

    /// One line without its end; nil at the end of the input.
    private static func line() throws(InputError) -> [UInt8]? {
        var line: [UInt8] = []
        line.reserveCapacity(64)
        while true {
            var byte: UInt8 = 0
            let count = unsafe Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.isEmpty ? nil : line }
            if byte == UInt8(ascii: "\n") { return line }
            guard byte != TerminalInput.cancel else {
                wipe(&line)
                throw InputError("cancelled: nothing was charged")
            }
            guard byte != UInt8(ascii: "\r") else { continue }
            guard line.count < 64 else {
                wipe(&line)
                throw InputError("a line of card data has at most 64 characters")
            }
            line.append(byte)
        }
    }
}

/// How a terminal takes what is keyed.
private struct TerminalInput {
    /// Control-C.
    static let cancel: UInt8 = 3

    private let settings: termios

    /// Shows nothing of what is keyed. Control-C ends a line in place of the process, which would
    /// leave the terminal like that.
    ///
    /// - Returns: The settings before; nil if they cannot be changed.
    static func hidden() -> TerminalInput? {
        var settings = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        let before = TerminalInput(settings: settings)
        settings.c_lflag &= ~tcflag_t(truncatingIfNeeded: ECHO | ISIG)
        // VEOL
        settings.c_cc.11 = cancel
        guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0 else { return nil }
        return before
    }

    func restore() {
        var settings = settings
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }
}
