package import Bytes
import CardCryptography
import EMVKernel
import TLV

/// Torn transactions as bytes, for a store that outlives the process.
extension TornTransactionLog {
    /// A template `FF8101` for each record, oldest first, with private tags.
    package var encoded: SecretBytes {
        var builder = TLVBuilder()
        for record in records { builder.append(TornTransaction.template) { record.encode(into: &$0) } }
        var bytes = builder.bytes
        return SecretBytes(wiping: &bytes)
    }

    /// Decodes ``encoded``. Unreadable records are skipped. Of more than 255 records (DF811D has
    /// one byte), the first are skipped.
    package init(encoded secret: SecretBytes) {
        var bytes = secret.revealed()
        defer { wipe(&bytes) }
        var records: [TornTransaction] = []
        var walker = TLVWalker()
        while let node = try? walker.next(in: bytes.span) {
            guard node.depth == 0, node.tag == TornTransaction.template else { continue }
            walker.skipContents(of: node)
            guard let fields = try? DataElements(parsing: Array(bytes[node.value])),
                let record = TornTransaction(fields)
            else { continue }
            records.append(record)
        }
        self.init(Array(records.suffix(255)))
    }
}

extension TornTransaction {
    private enum Field {
        static let card: Tag = 0xC1
        static let recoveryData: Tag = 0xC2
        static let sentOptions: Tag = 0xC3
        static let values: Tag = 0xC4
        /// As DF8114: bits 8 and 7 the type of cryptogram, bit 5 CDA.
        static let referenceControl: Tag = 0xC5
        /// As byte 4 of DF8129; absent for N/A.
        static let verification: Tag = 0xC6
        static let terminal: Tag = 0xC7
        /// 2 bytes.
        static let lifetime: Tag = 0xC8
        static let payment: Tag = 0xC9
    }

    fileprivate func encode(into builder: inout TLVBuilder) {
        builder.append(Field.card, card.digest)
        builder.append(Field.recoveryData, recoveryData)
        builder.append(Field.sentOptions, sentOptions)
        builder.append(Field.values, values)
        builder.append(Field.referenceControl, [referenceControl])
        if let verification { builder.append(Field.verification, [verification.code]) }
        var objects = TLVBuilder()
        for tag in terminal.tags where !tag.isConstructed { objects.append(tag, terminal[tag] ?? []) }
        builder.append(Field.terminal, objects.bytes)
        let seconds = UInt16(clamping: lifetime)
        builder.append(Field.lifetime, [UInt8(truncatingIfNeeded: seconds >> 8), UInt8(truncatingIfNeeded: seconds)])
        builder.append(Field.payment, payment.encoded)
    }

    fileprivate init?(_ fields: DataElements) {
        guard let digest = fields[Field.card], digest.count == 32, let recoveryData = fields[Field.recoveryData],
            let sentOptions = fields[Field.sentOptions], let values = fields[Field.values],
            let control = fields.integer(Field.referenceControl),
            let requested = CryptogramType(rawValue: UInt8(truncatingIfNeeded: control & 0xC0)),
            let terminal = fields[Field.terminal].flatMap({ try? DataElements(parsing: $0) }),
            let lifetime = fields.integer(Field.lifetime),
            let payment = fields[Field.payment].flatMap(Payment.init(encoded:))
        else { return nil }
        var verification: ContactlessOutcome.Verification?
        if let code = fields.integer(Field.verification) {
            guard let known = ContactlessOutcome.Verification(code: UInt8(truncatingIfNeeded: code)) else { return nil }
            verification = known
        }
        self.init(
            card: Card(digest: digest), payment: payment, lifetime: Int(UInt16(truncatingIfNeeded: lifetime)),
            terminal: terminal,
            requested: requested, wantsSignature: control & 0x10 != 0, verification: verification,
            recoveryData: recoveryData,
            sentOptions: sentOptions, values: values)
    }
}

/// Byte 4 of the outcome parameter set, tag `DF8129` (EMV Contactless Book C-2, annex A).
extension ContactlessOutcome.Verification {
    fileprivate var code: UInt8 {
        switch self {
        case .none: 0x00
        case .signature: 0x10
        case .onlinePIN: 0x20
        case .consumerDevice: 0x30
        }
    }

    fileprivate init?(code: UInt8) {
        switch code {
        case 0x00: self = .none
        case 0x10: self = .signature
        case 0x20: self = .onlinePIN
        case 0x30: self = .consumerDevice
        default: return nil
        }
    }
}
