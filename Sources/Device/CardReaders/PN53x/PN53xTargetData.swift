/// Under which identity a PN532 is a card (PN532 user manual UM0701-02, 7.3.14).
///
/// The chip decides the rest itself: the first byte of the identifier is `08`, which means a random
/// one, and the answer to select begins with `75 33 92 03`. That is frames of 64 bytes, FWI 9 (155
/// ms), SFGI 2, all rates up to 424 kbit/s, NAD and CID. The manual does not say so; libnfc's
/// nfc-relay-picc does, and others have measured it.
package struct PN53xCardIdentity: Hashable, Sendable {
    /// The longest historical bytes that the command takes.
    package static let longestHistoricalBytes = 47
    /// How long a terminal waits for an answer: FWI 9.
    package static let frameWaitingTime = Duration.microseconds(154_657)

    let identifier: [UInt8]
    let historicalBytes: [UInt8]

    /// - Parameters:
    ///   - identifier: The bytes of NFCID1 after `08`: three.
    ///   - historicalBytes: Those of the answer to select.
    /// - Returns: Nil if a length is wrong.
    package init?(identifier: [UInt8], historicalBytes: [UInt8]) {
        guard identifier.count == 3, historicalBytes.count <= Self.longestHistoricalBytes else { return nil }
        self.identifier = identifier
        self.historicalBytes = historicalBytes
    }

    /// The parameters of TgInitAsTarget: mode PICCOnly, SENS_RES 0004 (least significant byte
    /// first), identifier, SEL_RES with ISO/IEC 14443-4, the parameters of FeliCa and of peers (18
    /// and 10 bytes), which no card of this kind uses, no general bytes, historical bytes.
    var parameters: [UInt8] {
        let unused = [UInt8](repeating: 0, count: 28)
        return [0x04, 0x04, 0x00] + identifier + [0x20] + unused + [
            0x00, UInt8(truncatingIfNeeded: historicalBytes.count),
        ]
            + historicalBytes
    }
}

/// The answer to TgInitAsTarget: how a terminal has activated the chip (7.3.14).
///
/// The terminal's first frame follows in the answer. As a card the chip has answered it itself: it
/// is RATS.
package struct PN53xActivation: Hashable, Sendable {
    /// Bits 7 to 5 are the rate, bit 4 ISO/IEC 14443-4, bit 3 a peer (DEP), bits 2 and 1 the
    /// framing.
    package let mode: UInt8

    /// Nil without a mode.
    package init?(parsing answer: [UInt8]) {
        guard let mode = answer.first else { return nil }
        self.mode = mode
    }

    /// Whether the terminal talks to a card of ISO/IEC 14443-4.
    package var isCard: Bool { mode & 0x0C == 0x08 }
}

/// The answer to TgGetData (7.3.16).
package enum PN53xTargetData: Hashable, Sendable {
    /// A part of a command; bit 7 of the status (MI) announces another one.
    case part([UInt8], more: Bool)
    case over(PN53xDeparture)

    /// Nil without a status.
    package init?(parsing answer: [UInt8]) {
        guard let status = answer.first else { return nil }
        if let departure = PN53xDeparture(status: status) {
            self = .over(departure)
        } else if status & 0x80 != 0 {
            self = .over(.nodeAddress)
        } else {
            self = .part(Array(answer.dropFirst()), more: status & 0x40 != 0)
        }
    }
}

/// Why a tap is over.
package enum PN53xDeparture: Hashable, Sendable {
    /// The terminal has deselected the card, or its field is off: status 29.
    case released
    /// Another status (7.1).
    case status(UInt8)
    /// The terminal sent nothing for this time.
    case silent(Duration)
    /// The terminal's blocks have node addresses, which EMV does not use.
    case nodeAddress
    /// More bytes than the longest command has, or a part without data.
    case commandTooLong
    /// The line to the chip was opened again meanwhile.
    case connectionLost

    /// Nil for success.
    package init?(status: UInt8) {
        switch status & 0x3F {
        case 0x00: return nil
        case 0x29: self = .released
        case let code: self = .status(code)
        }
    }
}

extension PN53xDeparture: CustomStringConvertible {
    package var description: String {
        switch self {
        case .released: "the terminal released the card"
        case .status(let code):
            "the terminal is gone: \(Self.meaning(code)) (status \(Self.hexadecimal(code)) of the chip)"
        case .silent(let time): "the terminal sent nothing for \(time.components.seconds) seconds"
        case .nodeAddress: "the terminal uses node addresses, which EMV does not"
        case .commandTooLong: "the terminal's command is too long, or has an empty part"
        case .connectionLost: "the connection to the chip was lost"
        }
    }

    private static func hexadecimal(_ code: UInt8) -> String {
        (code < 0x10 ? "0" : "") + String(code, radix: 16, uppercase: true)
    }

    private static func meaning(_ code: UInt8) -> String {
        switch code {
        case 0x01: "timed out"
        case 0x02, 0x03, 0x04, 0x05, 0x06: "damaged frames"
        case 0x07, 0x09, 0x0E: "a frame is too long"
        case 0x0A, 0x2B: "the field is off"
        case 0x0B, 0x13: "frames against the protocol"
        case 0x25, 0x26, 0x27: "the chip is not activated as a card"
        default: "an error of the chip"
        }
    }
}
