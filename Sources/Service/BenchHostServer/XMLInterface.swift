import BenchHost
import Bytes
import CardCapture
import CardCryptography
import HTTPService
import PaymentTerminal
import WorldNet
import XMLDocument

/// The bench host behind the gateway's XML interface: one message in, one message out, errors with
/// status 200.
struct XMLInterface: Sendable {
    let host: BenchHost
    let senders: Senders<HostReply>
    /// Whether terminals may use the old hash.
    let allowsLegacyMD5: Bool
    let now: @Sendable () -> Timestamp

    func reply(to read: HostRequest) async -> HostReply {
        let request: XMLMessage
        do {
            request = try XMLMessage(try XMLElement(parsing: read.body), among: XMLForm.exchanges.map(\.request))
        } catch {
            return refused(HostError(.invalidRequest, "\(error)"), "unreadable")
        }
        let name = request.form.name
        do throws(HostError) {
            guard let terminal = try await host.terminal(request[.terminalID] ?? "") else {
                return refused(HostError(.notAuthorized, "unknown terminal"), name)
            }
            guard let hash = hash(of: request, terminal) else {
                return refused(HostError(.notAuthorized, "the hash is wrong"), name)
            }
            read.subject.add(terminalID: terminal.settings.terminalID)
            if let orderID = try? request.reference(.orderID) as OrderID { read.subject.add(orderID) }
            return await senders.reply(to: read, from: "terminal \(terminal.settings.terminalID)") {
                await reply(to: request, hash)
            }
        } catch {
            return reply(error, name)
        }
    }

    /// The reply to an authenticated request.
    private func reply(to request: XMLMessage, _ hash: MessageHash) async -> HostReply {
        let name = request.form.name
        do throws(HostError) {
            do throws(HostError) {
                return reply(try await answer(request), to: request, hash, name)
            } catch {
                return try await fault(error, request, hash) ?? reply(error, name)
            }
        } catch {
            return reply(error, name)
        }
    }

    private func refused(_ error: HostError, _ operation: String) -> HostReply {
        var refused = reply(error, operation)
        refused.isRefused = true
        return refused
    }

    /// The hash algorithm of the request; nil if the hash is wrong.
    private func hash(of request: XMLMessage, _ terminal: BenchTerminal) -> MessageHash? {
        let algorithms: [MessageHash.Algorithm] = allowsLegacyMD5 ? [.sha512, .legacyMD5] : [.sha512]
        return algorithms.lazy.map {
            MessageHash(secret: terminal.secret, algorithm: $0, coversCurrency: terminal.hashCoversCurrency)
        }.first { request.isGenuine($0) }
    }

    private func answer(_ request: XMLMessage) async throws(HostError) -> XMLMessage {
        switch request.form.name {
        case XMLForm.payment.name, XMLForm.preAuthorization.name, XMLForm.unreferencedRefund.name:
            return XMLMessage(
                try await host.authorize(AuthorizationRequest(request)), to: answerForm(request), at: now())
        case XMLForm.completion.name:
            let answer = try await host.capture(referenced(request))
            return XMLMessage(answer, to: answerForm(request), at: now(), original: originalReference(request))
        case XMLForm.refund.name:
            let answer = try await host.refund(referenced(request))
            return XMLMessage(answer, to: answerForm(request), at: now(), original: originalReference(request))
        case XMLForm.registration.name:
            let card = try await host.registerSecureCard(
                SecureCardRegistration(request), of: request[.terminalID] ?? "")
            return XMLMessage(card, answerForm(request), at: now())
        case XMLForm.update.name:
            let card = try await host.updateSecureCard(SecureCardRegistration(request), of: request[.terminalID] ?? "")
            return XMLMessage(card, answerForm(request), at: now())
        case XMLForm.search.name:
            let card = try await host.retrieveSecureCard(
                request.reference(.merchantReference), of: request[.terminalID] ?? "")
            return XMLMessage(card, answerForm(request), at: now())
        case XMLForm.removal.name:
            try await host.deleteSecureCard(
                request.reference(.merchantReference), token: SecureCardReference(request[.cardReference] ?? ""),
                of: request[.terminalID] ?? "")
            var answer = XMLMessage(answerForm(request))
            answer[.merchantReference] = request[.merchantReference]
            answer[.dateTime] = GatewayDate.text(now())
            return answer
        case XMLForm.orderStatus.name:
            let orderID: OrderID = try request.reference(.orderID)
            return XMLMessage(try await host.status(of: orderID, for: sender(request)), of: orderID, at: now())
        case XMLForm.reversal.name:
            let orderID: OrderID = try request.reference(.orderID)
            let reason = ReversalReason(rawValue: request[.reason] ?? "") ?? .requested
            try await host.advise(Advice(orderID: orderID, result: .reversed(reason)), by: sender(request))
            var answer = XMLMessage(answerForm(request))
            answer[.orderID] = orderID.text
            answer[.dateTime] = GatewayDate.text(now())
            return answer
        default: throw HostError(.notSupported, "unknown message")
        }
    }

    private func answerForm(_ request: XMLMessage) -> XMLForm {
        XMLForm.exchanges.first { $0.request.name == request.form.name }?.answer ?? .error
    }

    private func sender(_ request: XMLMessage) -> [String] { [request[.terminalID] ?? ""] }

    private func referenced(_ request: XMLMessage) async throws(HostError) -> ReferencedRequest {
        guard let original = try await host.transaction(request[.uniqueReference] ?? ""),
            original.terminalID == request[.terminalID],
            let currency = original.record.amount?.currency
        else { throw HostError(.transactionUnknown, "INVALID UNIQUEREF") }
        return try ReferencedRequest(request, currency: currency, orderID: .ownName(of: request[.hash] ?? ""))
    }

    /// The published answers contain the original's reference; a request with the refund's own
    /// order id gets the refund's reference.
    private func originalReference(_ request: XMLMessage) -> String? {
        request[.ownOrderID] == nil ? request[.uniqueReference] : nil
    }

    /// The reply for a simulated fault of the host; nil for a real error.
    private func fault(_ error: HostError, _ request: XMLMessage, _ hash: MessageHash) async throws(HostError)
        -> HostReply?
    {
        let name = request.form.name
        if error.code == .failed(.noAnswer) { return .ending(request[.amount] == "45.67" ? .silence : .close, name) }
        guard error.code == .failed(.answerNotGenuine) else { return nil }
        let isReferenced = [XMLForm.completion.name, XMLForm.refund.name].contains(name)
        let orderID: OrderID = isReferenced ? try await referenced(request).orderID : try request.reference(.orderID)
        guard let transaction = try await host.transaction(of: orderID, for: sender(request)) else { return nil }
        let answer = XMLMessage(
            transaction.answer, to: answerForm(request), at: now(),
            original: isReferenced ? originalReference(request) : nil)
        return reply(answer, to: request, MessageHash(secret: SecretBytes(SecureRandom.bytes(16))), name)
    }

    private func reply(_ message: XMLMessage, to request: XMLMessage, _ hash: MessageHash, _ operation: String)
        -> HostReply
    {
        HostReply(
            status: 200, contentType: HostReply.xml, body: message.element(answering: request, hash).document,
            operation: operation)
    }

    private func reply(_ error: HostError, _ operation: String) -> HostReply {
        let failure = ClientError(error)
        return HostReply(
            status: 200, contentType: HostReply.xml, body: XMLMessage(failure.told).document,
            operation: "\(operation): \(failure.logged)")
    }
}

extension OrderID {
    /// The order id for a message without one. Equal messages get equal ids, so that repetitions
    /// are refused.
    static func ownName(of message: String) -> OrderID {
        // Letters only: no run of digits can look like a card number.
        let letters = SHA256.hash(Array(message.utf8)).prefix(11).map { byte in
            [byte >> 4, byte & 0x0F].map { String(UnicodeScalar(UInt8(ascii: "a") + $0)) }.joined()
        }.joined()
        guard let orderID = try? OrderID("x-" + letters) else { preconditionFailure("24 characters make an order id") }
        return orderID
    }
}
