package import EMVKernel
package import SmartCard
package import TLV

/// The relay resistance protocol (EMV Contactless Book C-2, SR1; Book C-8, S21): the card answers
/// random numbers as fast as it claims to, so that the additional time of a relay is detected. At
/// most three tries.
///
/// The books were not available: the steps are those that open implementations agree on.
package struct RelayResistance: Sendable {
    package enum Verdict: Sendable, Equatable {
        /// Too late: try again, with a new number in ``RelayResistance/unpredictableNumber``.
        case again
        /// Faster than the card's own minimum time.
        case tooSoon
        case performed(RelayResistanceResult)
    }

    private static let maximumTries = 3

    private let limits: RelayResistanceLimits
    /// Tag `9F37`, 4 bytes: the terminal relay resistance entropy of the next try.
    package var unpredictableNumber: [UInt8]
    /// Tries that took too long.
    private var retries: UInt8 = 0

    package init(_ limits: RelayResistanceLimits, unpredictableNumber: [UInt8]) {
        self.limits = limits
        self.unpredictableNumber = unpredictableNumber
    }

    package var command: CommandAPDU { .exchangeRelayResistanceData(unpredictableNumber) }

    /// Processes the answer to ``command``.
    ///
    /// - Parameter elapsed: From the start of the command to the end of the answer.
    package mutating func take(_ answer: ResponseAPDU, after elapsed: Duration) throws(Termination) -> Verdict {
        guard answer.status == .success else { throw .commandFailed(.exchangeRelayResistanceData, answer.status) }
        guard answer.data.count == 12, answer.data.starts(with: [0x80, 0x0A]) else {
            throw .malformedAnswer(.exchangeRelayResistanceData, nil)
        }
        let times = CardTimes(answer.data.dropFirst(2))
        let transmission = Int(limits.expectedCommandTime) + min(times.transmission, Int(limits.expectedResponseTime))
        let measured = max(0, Int(elapsed.hundredMicroseconds) - transmission)
        guard measured >= times.minimum - Int(limits.minimumGracePeriod) else { return .tooSoon }
        let isTooLate = measured > times.maximum + Int(limits.maximumGracePeriod)
        if isTooLate, retries + 1 < Self.maximumTries {
            retries += 1
            return .again
        }
        var tvr: TerminalVerificationResults = .relayResistancePerformed
        if isTooLate { tvr.insert(.relayResistanceTimeLimitsExceeded) }
        if mismatches(times.transmission) || measured - times.minimum > Int(limits.accuracyThreshold) {
            tvr.insert(.relayResistanceThresholdExceeded)
        }
        return .performed(
            RelayResistanceResult(
                terminalEntropy: unpredictableNumber, answer: Array(answer.data.dropFirst(2)),
                measured: UInt16(clamping: measured),
                excess: UInt16(clamping: max(0, measured - times.maximum)), retries: retries, tvr: tvr))
    }

    /// Whether card and reader differ too much on the transmission time of the answer. A time of
    /// zero cannot be compared and counts as different: sources disagree, and this is the safe
    /// interpretation.
    private func mismatches(_ estimate: Int) -> Bool {
        let expected = Int(limits.expectedResponseTime)
        guard estimate > 0, expected > 0 else { return true }
        return min(estimate * 100 / expected, expected * 100 / estimate) < Int(limits.mismatchThreshold)
    }

    /// The times that a card reports about itself, in units of 100 µs.
    private struct CardTimes {
        let minimum: Int
        let maximum: Int
        let transmission: Int

        /// - Parameter answer: Entropy and three times, 10 bytes.
        init(_ answer: ArraySlice<UInt8>) {
            func time(_ index: Int) -> Int { answer.dropFirst(index).prefix(2).reduce(0) { $0 << 8 | Int($1) } }
            (minimum, maximum, transmission) = (time(4), time(6), time(8))
        }
    }
}

/// The result of the relay resistance protocol.
package struct RelayResistanceResult: Sendable, Equatable {
    /// The number that was sent with the last try, 4 bytes; it becomes tag `9F37`.
    package let terminalEntropy: [UInt8]
    /// The card's answer without template: its entropy (4), minimum, maximum and transmission time
    /// (2 each).
    package let answer: [UInt8]
    /// The measured processing time, in units of 100 µs.
    package let measured: UInt16
    /// The excess over the card's maximum.
    package let excess: UInt16
    package let retries: UInt8
    /// Bits of byte 5.
    package let tvr: TerminalVerificationResults

    /// The part that the card signs, 14 bytes.
    package var exchanged: [UInt8] { terminalEntropy + answer }
}

extension TerminalVerificationResults {
    /// TVR byte 5 of contactless kernels (EMV Contactless Book C-2, annex A). Bits 2 and 1 are one
    /// field.
    package static let relayResistanceNotPerformed = Self(byte: 5, bit: 1)
    package static let relayResistancePerformed = Self(byte: 5, bit: 2)
    package static let relayResistanceTimeLimitsExceeded = Self(byte: 5, bit: 3)
    package static let relayResistanceThresholdExceeded = Self(byte: 5, bit: 4)
}

extension ApplicationInterchangeProfile {
    /// AIP byte 2 bit 1 (EMV Contactless Book C-2, annex A).
    package static let relayResistanceSupported = Self(byte: 2, bit: 1)
}

extension Duration {
    /// Whole units of 100 µs, at most 65535; zero for negative durations.
    fileprivate var hundredMicroseconds: UInt16 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 7 else { return .max }
        return UInt16(clamping: seconds * 10_000 + attoseconds / 100_000_000_000_000)
    }
}

/// How long a card may take to answer EXCHANGE RELAY RESISTANCE DATA (EMV Contactless Book C-2,
/// DF8132 to DF8137; Book C-8, `9F8213` to `9F8218`).
///
/// Times are in units of 100 µs. The defaults are those of the book, for a clock at the antenna.
/// Over a serial port or USB an exchange takes some milliseconds more: measure this time and add it
/// to ``expectedCommandTime``, otherwise genuine cards fail.
public struct RelayResistanceLimits: Sendable, Equatable {
    /// DF8132: how much faster than its own minimum a card may answer.
    public var minimumGracePeriod: UInt16 = 0x0014
    /// DF8133: how much slower than its own maximum.
    public var maximumGracePeriod: UInt16 = 0x0032
    /// DF8134: the transmission time of the command.
    public var expectedCommandTime: UInt16 = 0x0012
    /// DF8135: the transmission time of the answer.
    public var expectedResponseTime: UInt16 = 0x0018
    /// DF8136: how far above the card's minimum the measured time may be.
    public var accuracyThreshold: UInt16 = 0x012C
    /// DF8137: the minimum ratio of ``expectedResponseTime`` and the card's own estimate to each
    /// other, in percent.
    public var mismatchThreshold: UInt8 = 0x32

    /// The defaults of the book.
    public init() {}
}
