private import Bytes
public import CardCapture
private import CardCryptography
private import JSONDocument
public import Outbox
public import PaymentTerminal
private import Receipts

/// Receipts by mail, through an outbox.
public struct ReceiptMail: Sendable {
    /// As of ``Outbox/Delivery/kind``.
    public static let kind = "mail"

    private let outbox: Outbox
    private let client: MailClient
    private let from: MailAddress

    public init(_ outbox: Outbox, from: MailAddress, by client: MailClient) {
        self.outbox = outbox
        self.from = from
        self.client = client
    }

    /// Puts the cardholder's copy of a receipt; it is kept when the call returns. The same receipt to
    /// the same address again is the same delivery, to another address another one.
    public func put(_ receipt: Receipt, to address: MailAddress, at time: Timestamp) async throws {
        // The key is stored in clear, the address is not.
        let recipient = SHA256.hash(Array(address.text.utf8)).prefix(8)
        let key = try DeliveryKey("receipt \(receipt.orderID) \(receipt.operation) \(Array(recipient).hex)")
        let payload = JSON.object([
            "to": .text(address.text), "subject": .text("\(receipt.merchantName): receipt \(receipt.orderID)"),
            "id": .text(key.text), "text": .text(receipt.text(for: .cardholder)),
            "html": .text(receipt.html(for: .cardholder)),
        ])
        try await outbox.put(key, kind: Self.kind, payload: payload.document, at: time.secondsSince1970)
    }

    /// Tries the mails that are due, one after the other, and writes how each ended. A mail that
    /// is sent again has the same `Message-ID`.
    ///
    /// - Returns: The mails that were tried.
    @discardableResult public func deliverDue(at time: Timestamp, jitter: @Sendable () -> UInt16) async throws
        -> [Delivery]
    {
        var tried: [Delivery] = []
        for key in try await outbox.due(Self.kind, at: time.secondsSince1970) {
            let attempt: Outbox.Attempt
            do {
                attempt = try await outbox.begin(key, at: time.secondsSince1970)
            } catch OutboxError.notDue {
                // Another task has begun it since.
                continue
            }
            let result: Delivery.Result
            if let message = message(attempt.delivery.payload, time) {
                result = await client.send(message)
            } else {
                result = .refused("the stored mail cannot be read")
            }
            tried.append(try await outbox.end(attempt, result, at: time.secondsSince1970, jitter: jitter()))
        }
        return tried
    }

    private func message(_ payload: [UInt8], _ time: Timestamp) -> MailMessage? {
        guard let json = try? JSON(parsing: payload), let to = json["to"]?.text, let address = try? MailAddress(to),
            let subject = json["subject"]?.text, let id = json["id"]?.text, let text = json["text"]?.text,
            let html = json["html"]?.text
        else { return nil }
        return MailMessage(from: from, to: address, subject: subject, text: text, html: html, id: id, at: time)
    }
}
