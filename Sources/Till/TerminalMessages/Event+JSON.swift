import CardCapture
import Contactless
import JSONDocument
import PaymentTerminal

extension TerminalMessage.Question {
    var pairs: [JSON.Pair] {
        switch self {
        case .signature(let request):
            question(
                "signature",
                request.amount.pairs + [("tip", .text(request.tip?.decimal))] + (request.card?.pairs ?? [])
                    + [("cardholderName", .text(request.card?.cardholderName))])
        case .signatureVerification(let request):
            question("signatureVerification", [("signature", request.signature.json)] + (request.card?.pairs ?? []))
        case .referral(let request):
            question(
                "referral",
                request.amount.pairs + (request.card?.pairs ?? []) + [("description", .text(request.message))])
        case .application(let request): question("application", [("choices", .list(request.names.map { .text($0) }))])
        case .reader(let request): question("reader", [("choices", .list(request.readers.map(\.json)))])
        }
    }

    private func question(_ name: String, _ members: [JSON.Pair]) -> [JSON.Pair] {
        [("question", .text(name))] + members
    }
}

extension ReaderRequest.Candidate {
    fileprivate var json: JSON {
        .object([("name", .text(name)), ("link", .text(link.rawValue)), ("device", .text(place))] + identity.pairs)
    }
}

extension ReaderIdentity {
    fileprivate var pairs: [JSON.Pair] {
        [
            ("maker", .text(maker)), ("model", .text(model)), ("serialNumber", .text(serialNumber)),
            ("firmware", .text(firmware)),
        ]
    }
}

extension BatteryState {
    fileprivate var json: JSON {
        switch self {
        case .discharging(let percent): .object([("percent", .number(percent)), ("isOnPower", .flag(false))])
        case .charging(let percent): .object([("percent", .number(percent)), ("isOnPower", .flag(true))])
        case .unknown: .object([JSON.Pair]())
        }
    }
}

extension ReaderInfo {
    fileprivate var json: JSON { .object([("name", .text(name))] + identity.pairs + [("battery", battery?.json)]) }
}

extension TerminalEvent.Context {
    var pairs: [JSON.Pair] { [("operation", .text(operation?.rawValue)), ("requestID", .text(requestID))] }
}

extension TerminalEvent {
    var pairs: [JSON.Pair] { context.pairs + (question.map { event("question", $0.pairs) } ?? content.pairs) }

    /// What is asked; nil for what needs no answer.
    var question: TerminalMessage.Question? {
        switch content {
        case .signatureRequired(let request): .signature(request)
        case .signatureToVerify(let request): .signatureVerification(request)
        case .referralRequired(let request): .referral(request)
        case .applicationRequired(let request): .application(request)
        case .readerRequired(let request): .reader(request)
        case .progress, .readerConnecting, .readerConnected, .readerDisconnected, .updateStarted, .updateFinished,
            .reader, .connectionFailed, .payment, .secureCard, .transactions, .settings, .cleared, .failed:
            nil
        }
    }
}

extension TerminalEvent.Content {
    fileprivate var pairs: [JSON.Pair] {
        switch self {
        case .progress(let progress):
            event("progress", [("step", .text(progress.rawValue)), ("description", .text(progress.description))])
        case .readerConnecting(let reader): event("readerConnecting", [("reader", reader.json)])
        case .readerConnected(let reader): event("readerConnected", [("reader", reader.json)])
        case .readerDisconnected(let reader): event("readerDisconnected", [("reader", reader.json)])
        case .updateStarted(let reader): event("updateStarted", [("reader", reader.json)])
        case .updateFinished(let reader, let failure):
            event("updateFinished", [("reader", reader.json), ("error", failure.map { .object($0.pairs) })])
        case .connectionFailed(let error): event("connectionFailed", [("error", .object(error.pairs))])
        case .reader(let happening): happening.pairs
        case .readerRequired, .applicationRequired, .signatureRequired, .signatureToVerify, .referralRequired: []
        case .payment(let response): event("payment", [("payment", .object(response.pairs))])
        case .cleared(let response): event("cleared", [("payment", .object(response.pairs))])
        case .secureCard(let response): event("secureCard", response.pairs)
        case .transactions(let records):
            event("transactions", TransactionQuery.Page(records).pairs)
        case .settings(let settings): event("settings", settings.pairs)
        case .failed(let error): event("failed", [("error", .object(error.pairs))])
        }
    }
}

/// An event by its name.
private func event(_ name: String, _ members: [JSON.Pair]) -> [JSON.Pair] { [("event", .text(name))] + members }

extension ReaderEvent {
    fileprivate var pairs: [JSON.Pair] {
        switch self {
        case .connected: event("readerOpen", [])
        case .reconnecting: event("readerReconnecting", [])
        case .disconnected(let reason):
            event("readerLost", [("reason", .text(reason.name)), ("description", .text(reason.description))])
        case .battery(let state): event("battery", [("battery", state.json)])
        case .cardPresented(let interface): event("cardPresented", [("interface", .text(interface.rawValue))])
        case .cardRemoved(let interface): event("cardRemoved", [("interface", .text(interface.rawValue))])
        case .swiped(let isReadable): event("swiped", [("isReadable", .flag(isReadable))])
        case .prompt(let lines, let step):
            event(
                "prompt",
                [("lines", .list(lines.map { .text($0) })), ("instruction", .text(step?.instruction.rawValue))])
        case .userInterface(let request):
            event(
                "userInterface",
                [("messageID", .number(request.message.rawValue)), ("status", .number(request.status.rawValue))])
        case .instruction(let instruction): event("instruction", [("instruction", .text(instruction.rawValue))])
        case .selectionRequired(let names): event("selection", [("choices", .list(names.map { .text($0) }))])
        case .pinProgress(let digits): event("pin", [("digits", .number(digits))])
        case .progress(let operation, let part):
            event("loading", [("loads", .text(operation.rawValue)), ("percent", .number(percent(part)))])
        }
    }
}

/// - Parameter part: From 0 to 1; a driver's mistake is shown as 0 or 100.
private func percent(_ part: Double) -> Int {
    guard part > 0 else { return 0 }
    // fits: at most 100
    return Int(min(1, part) * 100)
}

extension ReaderEvent.DisconnectReason {
    fileprivate var name: String {
        switch self {
        case .closed: "closed"
        case .unplugged: "unplugged"
        case .silent: "silent"
        case .failed: "failed"
        }
    }
}
