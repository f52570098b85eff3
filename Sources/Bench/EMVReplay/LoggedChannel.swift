import Bytes
import CardCryptography
import EMVKernel
import Kernels
package import SmartCard
import TLV

/// The secure channel between kernel 8 and the card of a log whose head has the terminal's private
/// key: `kernel-8-key`, once for each tap, in any order.
struct LoggedChannel {
    let agreement: KernelKeyAgreement
    /// After the card's key data.
    private let start: BlindedChannel

    /// Nil if no key of the head is that of the log's terminal, or if the card gave no key data.
    init?(_ trace: APDUTrace, _ conversation: LoggedConversation) {
        let keys = trace.metadata.lazy.filter { $0.name == RecordedChannelKeys.name }.compactMap {
            KernelKeyAgreement(key: $0.value)
        }
        guard !keys.isEmpty, let options = conversation.exchange(.getProcessingOptions) else { return nil }
        let card = conversation.cardData
        let sent = LoggedLists(card).elements(options.command, isFirst: true)?[.kernelKeyData]
        guard let agreement = keys.first(where: { $0.kernelKeyData == sent }),
            let (channel, _) = agreement.channel(cardKeyData: card[.cardKeyData] ?? [])
        else { return nil }
        self.agreement = agreement
        start = channel
    }

    /// `trace` with its records in plain text.
    func deciphered(_ trace: APDUTrace) -> APDUTrace {
        var channel = start
        let entries = trace.entries.map { entry -> APDUTrace.Entry in
            guard case .exchange(let exchange) = entry.event, exchange.command.instruction == .readRecord,
                let enciphered = Template.contents(of: exchange.response.data, tag: .encipheredRecord),
                let contents = channel.combineCardMessage(enciphered)
            else { return entry }
            let response = ResponseAPDU(tlv(.recordTemplate, contents), status: exchange.response.status)
            return APDUTrace.Entry(
                .exchange(APDUTrace.Exchange(line: exchange.line, command: exchange.command, response: response)))
        }
        return APDUTrace(metadata: trace.metadata, entries: entries)
    }

    /// The data envelopes that a terminal read, and wrote before and after GENERATE AC.
    struct Envelopes {
        var read: [UInt8] = []
        var writtenBefore: [Kernel8Configuration.DataEnvelope] = []
        var writtenAfter: [Kernel8Configuration.DataEnvelope] = []
    }

    func envelopes(_ conversation: LoggedConversation) -> Envelopes {
        var channel = start
        var envelopes = Envelopes()
        var isAfter = false
        for command in conversation.commands.lazy.map(\.command) {
            switch command.instruction {
            case .readData:
                if let number = Tag(command.data)?.dataEnvelopeNumber { envelopes.read.append(number) }
            case .generateAC: isAfter = true
            case .writeData:
                guard let object = channel.combineWriteData(command.data),
                    let envelope = Kernel8Configuration.DataEnvelope(object)
                else {
                    continue
                }
                if isAfter { envelopes.writtenAfter.append(envelope) } else { envelopes.writtenBefore.append(envelope) }
            default: continue
            }
        }
        return envelopes
    }
}

extension APDUTrace {
    /// The log with the records of kernel 8 in plain text, as far as its head has the keys.
    package var deciphered: APDUTrace { decipheredRecords ?? self }

    /// The same, entry by entry; nil for a log without keys.
    package var decipheredRecords: APDUTrace? {
        guard self[RecordedChannelKeys.name] != nil else { return nil }
        let parts = presentations.map { part in LoggedChannel(part, LoggedConversation(part))?.deciphered(part) ?? part
        }
        return APDUTrace(metadata: metadata, entries: parts.flatMap(\.entries))
    }
}

extension APDUTrace {
    /// The log with these keys of its terminal for kernel 8 in its head, after its own. That of
    /// each tap is found by the key data that the terminal sent.
    package func completed(withKernel8Keys keys: [String]) -> APDUTrace {
        var completed = self
        completed.metadata += keys.map { (RecordedChannelKeys.name, $0) }
        return completed
    }
}

extension RecordedChannelKeys {
    /// Whether hexadecimal digits are a private key of one of the curves.
    package static func isKey(_ digits: String) -> Bool { KernelKeyAgreement(key: digits) != nil }
}

extension KernelKeyAgreement {
    /// - Parameter key: Hexadecimal digits, as many as the curve of their number requires.
    fileprivate init?(key: String) {
        guard let bytes = try? [UInt8](hex: key),
            let suite = [EnciphermentSuite.p256, .p521].first(where: { $0.curve.fieldCount == bytes.count }),
            let agreement = try? KernelKeyAgreement(suite, scalar: SecretBytes(bytes))
        else { return nil }
        self = agreement
    }
}

extension Kernel8Configuration.DataEnvelope {
    /// From its data object, as WRITE DATA has it.
    fileprivate init?(_ object: [UInt8]) {
        var walker = TLVWalker()
        guard let node = try? walker.next(in: object.span), let number = node.tag.dataEnvelopeNumber else { return nil }
        self.init(number: number, value: Array(object[node.value]))
    }
}

extension Tag {
    fileprivate init?(_ bytes: [UInt8]) {
        guard bytes.count == 3 else { return nil }
        self.init(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// 1 to 10 for the tag of a data envelope of kernel 8.
    fileprivate var dataEnvelopeNumber: UInt8? {
        isDataEnvelope ? UInt8(truncatingIfNeeded: rawValue - Tag.dataEnvelopes.lowerBound + 1) : nil
    }
}
