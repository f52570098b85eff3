import Bytes
import DeviceIO
import TLV

/// The commands for a transaction (DynaFlex family programmer's manual, commands 1001, 1004 and
/// 1008).
package enum MMSCommand {
    package static let startTransaction: UInt16 = 0x1001
    package static let resumeTransaction: UInt16 = 0x1004
    package static let cancelTransaction: UInt16 = 0x1008

    /// Payload of ``startTransaction``.
    package struct Start: Sendable, Equatable {
        /// In seconds; 0 means no limit.
        package var timeout: UInt8
        package var readsStripe = true
        package var readsContact = true
        package var readsContactless = true
        /// Whether the device finishes with the card by an answer of its own, before the issuer's
        /// answer.
        package var isQuickChip = false
        /// Data objects: transaction type `9C`, amounts `9F02` and `9F03`, currency `5F2A` and its
        /// exponent `5F36`.
        package var transaction: [UInt8]

        package init(timeout: UInt8, transaction: [UInt8]) {
            self.timeout = timeout
            self.transaction = transaction
        }

        package var payload: [UInt8] {
            var builder = TLVBuilder()
            builder.append(0x82, [timeout])
            builder.append(0xA3) { options in
                options.append(0x81, [readsStripe ? 0x01 : 0x00])
                options.append(0x82, [readsContact ? 0x01 : 0x00])
                options.append(0x83, [readsContactless ? 0x01 : 0x00])
            }
            // Flow control: bit 0 quick chip, bit 1 the DynaPro format of the card data.
            builder.append(0x84, [0x00, isQuickChip ? 0x03 : 0x02])
            builder.append(0x86, transaction)
            return builder.bytes
        }
    }

    /// Payload of ``resumeTransaction`` with the issuer's answer.
    ///
    /// - Parameters:
    ///   - serialNumber: As returned by the device with the card, tag `DFDF25`.
    ///   - answer: Data objects: `8A`, and `91`, `71`, `72` if the issuer sent them.
    ///   - timeout: In seconds, for the rest of the transaction; nil keeps the previous limit.
    package static func resume(serialNumber: [UInt8], answer: [UInt8], timeout: UInt8? = nil) -> [UInt8] {
        var builder = TLVBuilder()
        builder.append(0x81, [0x00])
        if let timeout { builder.append(0x82, [timeout]) }
        builder.append(
            0x84,
            tlv(0xFF74) { message in
                message.append(0xDFDF25, serialNumber)
                message.append(0xFA) { $0.append(0x70, answer) }
            })
        return builder.bytes
    }
}

/// The result of a request (DynaFlex family programmer's manual, table 12).
enum MMSStatus {
    /// Throws unless the request is done or begun.
    static func check(_ status: [UInt8]) throws(DeviceError) {
        guard let summary = status.first, summary & 0x80 != 0 else { return }
        switch Array(status.dropFirst()) {
        case [0x02, 0x03, 0x08]: throw .rejected(.transactionInProgress)
        case [0x02, 0x03, 0x16]: throw .rejected(.lowBattery)
        case [0x02, 0x03, 0x04]: throw .rejected(.noTransaction)
        case [0x02, 0x03, 0x05]: throw .rejected(.tooLateToCancel)
        case [0x01, 0x01, 0x09]: throw .rejected(.outOfService)
        case let detail: throw .rejected(.status(detail.hex))
        }
    }
}

/// A notification of a device during a transaction (DynaFlex family programmer's manual,
/// notifications 0101 and 0105).
package enum MMSNotification: Sendable, Equatable {
    package enum Technology: UInt8, Sendable {
        case none = 0x00
        case manualEntry = 0x07
        case stripe = 0x08
        case contact = 0x10
        case contactless = 0x20
    }

    case swiped
    case cardPresented(Technology)
    case cardRemoved(Technology)
    /// Card data with an online request.
    case online(Technology, [UInt8])
    case complete(Technology, DeviceOutcome)
    /// Does not affect the transaction.
    case other

    package init(_ message: MMSMessage) {
        self = .other
        guard message.kind == .notification, message.status.count == 4,
            let technology = Technology(rawValue: message.status[0])
        else {
            return
        }
        let (reason, detail, extra) = (message.status[1], message.status[2], message.status[3])
        switch (message.code, reason, detail) {
        case (0x0101, 0x01, 0x01) where technology == .stripe: self = .swiped
        case (0x0101, 0x01, 0x02), (0x0101, 0x01, 0x04): self = .cardPresented(technology)
        case (0x0101, 0x01, 0x03): self = .cardRemoved(technology)
        case (0x0101, 0x08, 0x02): self = .online(technology, message.payload)
        case (0x0105, _, _):
            if let outcome = DeviceOutcome(reason: reason, detail: detail, extra: extra) {
                self = .complete(technology, outcome)
            }
        default: break
        }
    }
}

extension DeviceOutcome {
    /// The outcome from an MMS device's notification (DynaFlex family programmer's manual, table
    /// 311). Nil for intermediate steps.
    init?(reason: UInt8, detail: UInt8, extra: UInt8) {
        let signature = extra == 0x01
        switch (reason, detail) {
        case (0x01, _): self = .timedOut
        case (0x02, 0x02): self = .approvedOffline(signature: signature)
        case (0x02, 0x03), (0x02, 0x04), (0x02, 0x05): self = .declinedOffline
        case (0x02, 0x06): self = .approved(signature: signature)
        case (0x02, 0x07): self = .deferred(signature: signature)
        case (0x02, 0x80): self = .declined
        case (0x02, 0x01), (0x02, 0x0B), (0x02, 0x0C), (0x02, 0x0D), (0x02, 0x0E): return nil
        case (0x02, 0x09): self = .failed(extra == 0x03 ? .emptyCandidateList : nil)
        case (0x02, 0x0A), (0x03, 0x02): self = .cancelledByUser
        case (0x02, _): self = .failed(extra == 0x02 || extra == 0x03 ? .technical : nil)
        case (0x03, 0x01): self = .cancelledByHost
        case (0x03, _): self = .failed(nil)
        default: return nil
        }
    }
}
