import Bytes
import Contactless
import EMVKernel
import TLV

/// Relay resistance (EMV Contactless Book C-2, SR1 and S910.39).
extension Kernel2 {
    /// Whether reader and card both support it.
    var resistsRelays: Bool { configuration.relayResistance != nil && profile.contains(.relayResistanceSupported) }

    /// Stores the exchanged data, for CDOL1, TVR, the card's signature and a torn transaction.
    mutating func keep(_ result: RelayResistanceResult) {
        tvr.remove(.relayResistanceNotPerformed)
        tvr.formUnion(result.tvr)
        data.terminal[.unpredictableNumber] = result.terminalEntropy
        for (tag, value) in RelayTags.pieces(of: result) { data.terminal[tag] = value }
    }

    /// The part of the exchange that the card signs, 14 bytes; nil without an exchange.
    var exchangedRelayData: [UInt8]? {
        guard data.terminal.contains(RelayTags.signed[0]) else { return nil }
        return RelayTags.signed.flatMap { data.terminal[$0] ?? [] }
    }

    /// Without CDA, the discretionary data of track 2 contain the measurement for the issuer
    /// (S910.39).
    mutating func putRelayDataInTrack2() {
        guard exchangedRelayData != nil, var track = data.card[.track2EquivalentData],
            let known = Track2Equivalent(encoded: track.span),
            let entropy = data.terminal[RelayTags.deviceEntropy], entropy.count == 4,
            let measured = data.terminal.integer(RelayTags.measured),
            let retries = data.terminal[RelayTags.retries]?.first
        else { return }
        defer { wipe(&track) }
        var digits = track.flatMap { [$0 >> 4, $0 & 0x0F] }
        defer { wipe(&digits) }
        // PAN, separator, expiry date and service code are kept.
        let keptCount = known.pan.count + 1 + 7
        guard digits.count >= keptCount else { return }
        let index = data.card[.caPublicKeyIndexCard]?.first.map { $0 < 0x0A ? $0 : 0 } ?? 0
        var discretionary = [index, retries] + Self.decimal(Int(entropy[2]) << 8 | Int(entropy[3]), count: 5)
        // A long card number leaves room for fewer digits.
        if known.pan.count <= 16 { discretionary += Self.decimal(Int(entropy[1]), count: 3) }
        discretionary += Self.decimal(min(999, Int(clamping: measured) / 10), count: 3)
        if !(keptCount + discretionary.count).isMultiple(of: 2) { discretionary.append(0x0F) }
        var padded: [UInt8] = []
        padded.reserveCapacity(keptCount + discretionary.count)
        defer { wipe(&padded) }
        padded += digits.prefix(keptCount)
        padded += discretionary
        var packed = stride(from: 0, to: padded.count, by: 2).map { padded[$0] << 4 | padded[$0 + 1] }
        data.card[.track2EquivalentData] = packed
        wipe(&packed)
    }

    /// The digits of `number`, with leading zeros.
    private static func decimal(_ number: Int, count: Int) -> [UInt8] {
        let digits = String(number).utf8.map { $0 & 0x0F }
        return [UInt8](repeating: 0, count: max(0, count - digits.count)) + digits
    }

    /// The data for the acquirer.
    var relayDiscretionaryData: DataElements {
        var elements = DataElements()
        for tag in RelayTags.all { elements[tag] = data.terminal[tag] }
        return elements
    }
}

/// DF8301 to DF8307 (EMV Contactless Book C-2, annex A).
private enum RelayTags {
    static let deviceEntropy: Tag = 0xDF8302
    static let measured: Tag = 0xDF8306
    static let retries: Tag = 0xDF8307
    /// Entropy of terminal and card, minimum, maximum and transmission time.
    static let signed: [Tag] = [0xDF8301, deviceEntropy, 0xDF8303, 0xDF8304, 0xDF8305]
    static let all = signed + [measured, retries]

    static func pieces(of result: RelayResistanceResult) -> [(Tag, [UInt8])] {
        let answer = result.answer
        let values = [
            result.terminalEntropy, Array(answer[..<4]), Array(answer[4..<6]), Array(answer[6..<8]),
            Array(answer[8...]),
            result.measured.bigEndianBytes, [result.retries],
        ]
        return Array(zip(all, values))
    }
}
