public import Bytes
import CardCapture
private import FoundationEssentials

extension JournalEntry {
    /// The version of ``content()``. A journal stores it with the content.
    public static let contentVersion = 1

    /// The entry as bytes, for a journal to seal: the number of bytes of a JSON text (4 bytes, most
    /// significant first), the text, then the card's secrets, each as a field number (1 byte), a
    /// length (2 bytes) and its value.
    ///
    /// The secrets are separate because strings and their encoders leave copies in memory that
    /// cannot be wiped.
    public func content() -> SecretBytes {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        // Encoding the record cannot fail.
        guard let text = try? encoder.encode(JournalRecord(self)) else {
            preconditionFailure("a journal entry does not encode")
        }
        let secrets = due?.secrets ?? []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + text.count + secrets.reduce(0) { $0 + 3 + $1.value.count })
        withBytes(of: UInt32(clamping: text.count)) { bytes += $0 }
        bytes += text
        for (field, value) in secrets {
            var value = value.revealed()
            defer { wipe(&value) }
            bytes.append(field.rawValue)
            withBytes(of: UInt16(clamping: value.count)) { bytes += $0 }
            bytes += value
        }
        return SecretBytes(wiping: &bytes)
    }

    /// - Parameter version: ``contentVersion``.
    /// - Throws: ``JournalError/Code/damaged`` if the bytes are not an entry of the version.
    public init(content: SecretBytes, version: Int) throws(JournalError) {
        guard version == Self.contentVersion else {
            throw JournalError(.damaged, "an entry has version \(version): install the release that wrote it")
        }
        var bytes = content.revealed()
        defer { wipe(&bytes) }
        do {
            var rest = bytes[...]
            guard let count = rest.takeNumber(of: 4), let text = rest.take(count) else { throw JournalError.unreadable }
            let decoder = JSONDecoder()
            decoder.dataDecodingStrategy = .base64
            self = try decoder.decode(JournalRecord.self, from: Data(text)).entry(secrets: try Self.secrets(in: rest))
        } catch let error as JournalError {
            throw error
        } catch {
            throw .unreadable
        }
    }

    private static func secrets(in bytes: ArraySlice<UInt8>) throws(JournalError) -> [StoredCard.Secret: SecretBytes] {
        var rest = bytes
        var secrets: [StoredCard.Secret: SecretBytes] = [:]
        while let field = rest.popFirst() {
            guard let field = StoredCard.Secret(rawValue: field), let count = rest.takeNumber(of: 2),
                let value = rest.take(count)
            else {
                throw .unreadable
            }
            secrets[field] = SecretBytes(value)
        }
        return secrets
    }
}

extension JournalEntry.Due {
    fileprivate var secrets: [(key: StoredCard.Secret, value: SecretBytes)] {
        switch self {
        case .confirmation, .reversal, .reversalIfOurs, .inquiry: []
        case .advice(let payment), .declineAdvice(let payment), .authorization(let payment): payment.card.secrets
        }
    }
}

extension JournalError {
    static let unreadable = JournalError(.damaged, "the entry cannot be read")
}

private func withBytes<Number: FixedWidthInteger>(of number: Number, _ body: ([UInt8]) -> Void) {
    body((0..<Number.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
}

extension ArraySlice<UInt8> {
    fileprivate mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= self.count else { return nil }
        defer { removeFirst(count) }
        return prefix(count)
    }

    fileprivate mutating func takeNumber(of count: Int) -> Int? {
        take(count)?.reduce(0) { $0 << 8 | Int($1) }
    }
}
