private import Bytes
import CardCapture
import Contactless
private import Synchronization
private import TLV

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The log of one operation (``Terminal/PaymentLogFolder``).
final class PaymentLog: Sendable {
    /// What a line is about.
    enum Mark: Character, Sendable {
        case step = "-"
        case request = ">"
        case answer = "<"
        case error = "!"
    }

    /// A device or a host may send events without end.
    private static let maximumSize = 1 << 20
    private static let maximumText = 500

    private let descriptor: CInt
    private let remaining = Mutex(PaymentLog.maximumSize)

    /// - Parameter descriptor: Of an open file; the log closes it.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func write(_ mark: Mark, _ text: String, at time: Timestamp) {
        let line = Array("\(time) \(mark.rawValue) \(Self.masked(text))\n".utf8)
        let fits = remaining.withLock { remaining in
            guard line.count <= remaining else { return false }
            remaining -= line.count
            return true
        }
        guard fits else { return }
        _ = unsafe line.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
    }

    /// One line without control characters, and without card numbers in texts of devices and hosts.
    private static func masked(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in CardNumberScan.masked(String(text.prefix(4 * maximumText))).unicodeScalars.prefix(maximumText) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}

/// The system's call, whose name a method of the log hides.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}

extension JournalEntry {
    /// What the host is asked for, for the log.
    var request: String {
        let subject = "\(operation.rawValue) \(secureCard?.merchantReference.text ?? orderID.text)"
        guard secureCard == nil else { return subject }
        return "\(subject), \(amount)" + (card.map { ", card \($0)" } ?? "")
    }
}

extension TerminalEvent.Content {
    /// The line of the log; nil for what the log has from elsewhere.
    var logged: (PaymentLog.Mark, String)? {
        switch self {
        case .progress(let progress): (.step, progress.description)
        case .reader(let event): event.logged
        case .readerConnecting(let reader): (.step, "connecting \(reader.name)")
        case .readerConnected(let reader): (.step, "connected \(reader.name)")
        case .readerDisconnected(let reader): (.step, "disconnected \(reader.name)")
        case .readerRequired: (.step, "a reader is to be chosen")
        case .applicationRequired: (.step, "an application is to be chosen")
        case .signatureRequired: (.step, "a signature is required")
        case .signatureToVerify: (.step, "the signature is to be verified")
        case .referralRequired: (.step, "the issuer is to be called")
        case .payment(let response):
            (.step, "\(response.outcome), reversal \(response.reversal.rawValue): \(response.description)")
        case .secureCard(let response):
            (.step, response.description.isEmpty ? "secure card retrieved" : response.description)
        case .transactions(let transactions): (.step, counted(transactions.count, "transaction"))
        case .settings: (.step, "settings retrieved")
        case .cleared(let response): (.step, "\(response.orderID) is now \(response.outcome)")
        case .connectionFailed(let error), .failed(let error): (.error, "\(error.code): \(error.message)")
        case .updateStarted, .updateFinished: nil
        }
    }
}

extension ReaderEvent {
    /// The line of the log; nil for steps of a PIN entry.
    fileprivate var logged: (PaymentLog.Mark, String)? {
        switch self {
        case .connected: (.step, "the reader is connected")
        case .reconnecting: (.step, "the reader is reconnecting")
        case .disconnected(let reason): (.error, reason.description)
        case .battery(let state): (.step, "battery \(state)")
        case .cardPresented(let interface): (.step, "card presented, \(interface.rawValue)")
        case .cardRemoved(let interface): (.step, "card removed, \(interface.rawValue)")
        case .swiped(let readable): (.step, readable ? "swiped" : "swiped, not readable")
        case .prompt(let lines, _): (.step, "display: \(lines.joined(separator: " / "))")
        case .userInterface(let request): (.step, "message \(request.message), status \(request.status)")
        case .instruction(let instruction): (.step, "instruction: \(instruction.rawValue)")
        case .selectionRequired(let names): (.step, counted(names.count, "application"))
        case .progress(let operation, let part): (.step, "\(operation.rawValue): \(part)")
        case .pinProgress: nil
        }
    }
}
