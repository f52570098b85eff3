import Bytes
import CardCapture
import EMVKernel
import SmartCard
import TLV

/// The commands of the Miura payment interface that the driver uses (MPI API guide, "Commands").
enum MiuraCommand {
    /// Cancels the command in progress and identifies the device.
    static let reset = CommandAPDU(cla: 0xD0, ins: 0x00)
    /// Ends the transaction or wait in progress.
    static let abort = CommandAPDU(cla: 0xD0, ins: 0xFF)
    static let battery = CommandAPDU(cla: 0xD0, ins: 0x62)

    /// - Parameter isWatching: Whether the device reports each change of the card slot and each
    ///   swipe, with tracks 1 and 2. Answers to reset are not requested: their tag `63` is that of
    ///   a template, but they are not templates.
    static func cardStatus(isWatching: Bool) -> CommandAPDU {
        CommandAPDU(cla: 0xD0, ins: 0x60, p1: isWatching ? 0x0D : 0x00)
    }

    /// Four lines with the backlight on, in UTF-8.
    static func display(_ lines: [String]) -> CommandAPDU {
        CommandAPDU(cla: 0xD2, ins: 0x01, p2: 0x81, data: Array(lines.joined(separator: "\n").utf8.prefix(200)))
    }

    /// A transaction with the card in the slot.
    static func start(_ request: CaptureRequest, at time: Timestamp) -> CommandAPDU {
        CommandAPDU(
            cla: 0xDE, ins: 0xD1,
            data: tlv(.miuraCommand) { data in
                data.append(request, at: time)
                data.append(.transactionCurrencyExponent, [request.currencyExponent])
                // The cardholder selects the application at the PIN pad.
                data.append(0xDFA204, [0x01])
            })
    }

    /// A transaction with the card that is held to the field; it waits for one, and is answered
    /// when a card is inserted or swiped instead.
    static func startContactless(_ request: CaptureRequest, at time: Timestamp) -> CommandAPDU {
        CommandAPDU(cla: 0xDE, ins: 0xC1, data: tlv(.miuraCommand) { data in data.append(request, at: time) })
    }

    /// Asks the cardholder for a PIN after a swipe: the PIN pad shows the amount beside the label,
    /// and enciphers the PIN with the card number of the swipe, which it knows (Miura's published
    /// library, `onlinePin`).
    ///
    /// - Parameter maskedTrack2: As the PIN pad returned it with the swipe.
    static func onlinePIN(_ request: CaptureRequest, maskedTrack2: [UInt8]) -> CommandAPDU {
        CommandAPDU(
            cla: 0xDE, ins: 0xD6, p1: 0x01,
            data: tlv(.miuraCommand) { data in
                data.append(.amountAuthorised, BCD.encode(request.amount, count: 6) ?? [])
                data.append(.applicationLabel, Array("Amount".utf8))
                data.append(.transactionCurrencyCode, BCD.encode(UInt64(request.currencyCode), count: 2) ?? [])
                data.append(.miuraMaskedTrack2, maskedTrack2)
            })
    }

    /// The issuer's answer. If the host was unreachable, the EMV code for "unable to go online,
    /// declined".
    static func proceed(_ answer: IssuerAnswer) -> CommandAPDU {
        CommandAPDU(
            cla: 0xDE, ins: 0xD2,
            data: tlv(.miuraCommand) { data in
                switch answer {
                case .unreachable: data.append(.authorisationResponseCode, Array("Z3".utf8))
                case .answered(let answer):
                    data.append(.authorisationResponseCode, Array(answer.responseCode.utf8))
                    if let code = answer.approvalCode { data.append(.authorisationCode, Array(code.utf8)) }
                    if let authentication = answer.issuerAuthenticationData {
                        data.append(.issuerAuthenticationData, authentication)
                    }
                    // Already complete templates.
                    for script in answer.scripts { data.appendWhole(script) }
                }
            })
    }
}

extension TLVBuilder {
    fileprivate mutating func append(_ request: CaptureRequest, at time: Timestamp) {
        append(.transactionType, [request.kind.rawValue])
        append(.amountAuthorised, BCD.encode(request.amount, count: 6) ?? [])
        if request.cashback > 0 { append(.amountOther, BCD.encode(request.cashback, count: 6) ?? []) }
        append(.transactionDate, time.transactionDate)
        append(.transactionTime, time.transactionTime)
        append(.transactionCurrencyCode, BCD.encode(UInt64(request.currencyCode), count: 2) ?? [])
    }

    /// Appends a complete template with tag and length; skips it if it is not a template.
    fileprivate mutating func appendWhole(_ template: [UInt8]) {
        var walker = TLVWalker()
        guard let node = try? walker.next(in: template.span), node.value.upperBound == template.count else { return }
        append(node.tag, template[node.value])
    }
}

extension Tag {
    static let miuraCommand: Tag = 0xE0
    static let miuraDecisionRequired: Tag = 0xE2
    static let miuraApproved: Tag = 0xE3
    static let miuraOnlineRequired: Tag = 0xE4
    static let miuraDeclined: Tag = 0xE5
    static let miuraCardStatus: Tag = 0x48
    static let miuraStatusCode: Tag = 0xC3
    static let miuraStatusText: Tag = 0xC4
    static let miuraPINBlock: Tag = 0xDFAE04
    static let miuraPINKeySerial: Tag = 0xDFAE05
    static let miuraResponse: Tag = 0xE1
    static let miuraSoftware: Tag = 0xEF
    static let miuraSoftwareName: Tag = 0xDF0D
    static let miuraSoftwareVersion: Tag = 0xDF7F
    static let miuraCharging: Tag = 0xDFA209
    static let miuraBattery: Tag = 0xDFA20A
    static let miuraTrack1: Tag = 0x5F21
    static let miuraTrack2: Tag = 0x5F22
    static let miuraMaskedTrack2: Tag = 0xDFAE22
}

/// How a wait for a tap ended without a transaction: the second byte of a status word `9Fxx`
/// (Miura's published library, `TransactionResponse`).
enum MiuraTapEnd {
    /// No card was held to the field in the PIN pad's own time limit.
    case timedOut
    /// A card was inserted or swiped, which another message reports.
    case otherInterface
    /// The card, or the transaction, is not for the field: insert or swipe it.
    case tryOtherInterface
    /// Cancelled at the PIN pad.
    case cancelled
    /// The PIN pad has no field, or it is not configured.
    case notAvailable

    init(status: UInt16) {
        switch status {
        case 0x9F42: self = .timedOut
        case 0x9F43, 0x9F44: self = .otherInterface
        case 0x9FC1, 0x9FC2, 0x9FC3: self = .tryOtherInterface
        case 0x9F41: self = .cancelled
        default: self = .notAvailable
        }
    }
}

/// Why a transaction failed: the second byte of a status word `9Fxx` (MPI API guide, START and
/// CONTINUE TRANSACTION; Miura's published library, `processOnlinePinResult`).
enum MiuraFailure: DriverError {
    case noCard
    case cancelled
    /// The chip failed; whether and how the stripe may be tried.
    case card(Fallback?)
    case invalidData
    case notReady
    case noCAPublicKey
    /// It has no key to encipher PINs for the issuer.
    case noPINKey
    /// The PIN pad's own error in the entry of a PIN.
    case pinEntry(code: UInt8)
    /// The length or the MD5 of a loaded file differs.
    case fileDiffers
    case other(status: UInt16)

    init(status: UInt16) {
        switch status {
        case 0x9F23: self = .noCard
        case 0x9F41: self = .cancelled
        case 0x9F25: self = .card(nil)
        case 0x9F28: self = .card(Fallback(.emptyCandidateList, entryMode: .stripeAfterChip))
        case 0x9F30: self = .card(Fallback(.technical, entryMode: .stripeAfterChip))
        case 0x9F0F, 0x9F21, 0x9F27: self = .invalidData
        case 0x9F22, 0x9F26: self = .notReady
        case 0x9F40: self = .noCAPublicKey
        case 0x9FE0: self = .noPINKey
        default: self = .other(status: status)
        }
    }
}

extension BatteryState {
    /// The battery state from an answer to BATTERY STATUS (Miura's published library,
    /// `ChargingStatus`): 00 on battery, 01 charging, 02 charged, F0 to F2 faults of the charger.
    init(miura elements: DataElements) {
        guard let level = elements[.miuraBattery], level.count == 1, level[0] <= 100 else {
            self = .unknown
            return
        }
        switch elements[.miuraCharging] {
        case nil, [0x00]: self = .discharging(percent: Int(level[0]))
        case [0x01], [0x02]: self = .charging(percent: Int(level[0]))
        default: self = .unknown
        }
    }
}
