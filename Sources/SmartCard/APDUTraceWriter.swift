private import Bytes
private import TLV

/// What a trace may show.
public enum TraceDisclosure: Sendable {
    /// Card data are hidden by ``Redaction``, PINs always.
    case redacted
    /// Everything but PINs: for test cards only.
    case testCard
}

/// Writes exchanges as lines of a trace, and hides what may not be seen: data objects that name the card, every repetition of a PAN once seen, PINs.
public struct APDUTraceWriter: Sendable {
    private let disclosure: TraceDisclosure
    /// The PANs seen, as hexadecimal digits.
    private var pans: [String] = []

    public init(_ disclosure: TraceDisclosure) { self.disclosure = disclosure }

    /// The two lines of one exchange, with their line ends.
    public mutating func lines(_ exchange: APDUTrace.Exchange) -> String {
        remember(exchange.response.data)
        let command = exchange.command
        var shown = command.header.hex
        if !command.data.isEmpty {
            shown += lengthField(command)
            let carriesPIN = command.instruction == .verify || command.instruction == .pinChangeUnblock
            shown += carriesPIN ? String(repeating: Redaction.mask, count: command.data.count * 2) : hidingPANs(command.data.hex)
        }
        shown += command.bytes.dropFirst(4 + (command.data.isEmpty ? 0 : lengthField(command).count / 2 + command.data.count)).hex
        return "> \(shown)\n< \(answer(exchange.response))\n"
    }

    private func lengthField(_ command: CommandAPDU) -> String {
        let isExtended = command.data.count > 255 || (command.expectedLength ?? 0) > 256
        return isExtended ? "00" + UInt16(truncatingIfNeeded: command.data.count).hex : UInt8(truncatingIfNeeded: command.data.count).hex
    }

    private func answer(_ response: ResponseAPDU) -> String {
        guard disclosure == .redacted, !response.data.isEmpty else { return hidingPANs(response.bytes.hex) }
        return hidingPANs(Redaction.hex(tlv: response.data)) + response.status.description
    }

    private mutating func remember(_ data: [UInt8]) {
        guard disclosure == .redacted, let elements = try? DataElements(parsing: data), let pan = elements[.applicationPAN] else { return }
        let digits = String(pan.hex.prefix { $0 != "F" })
        if digits.count >= 8 && !pans.contains(digits) { pans.append(digits) }
    }

    private func hidingPANs(_ hex: String) -> String {
        var shown = hex
        for pan in pans {
            while let range = shown.firstRange(of: pan) {
                shown.replaceSubrange(range, with: Redaction.maskedPAN(pan.utf8))
            }
        }
        return shown
    }
}
