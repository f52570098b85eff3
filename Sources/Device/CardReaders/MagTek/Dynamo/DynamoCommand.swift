import Bytes
package import DeviceIO
import TLV

/// The commands for a transaction of a Dynamo (eDynamo programmer's manual D998200115-17, section
/// 8.4).
package enum DynamoCommand {
    /// Starts a transaction (table 8-38).
    package struct Start: Sendable, Equatable {
        /// In seconds, 1 to 255: how long the device waits for a card, and for each choice.
        package var timeout: UInt8
        package var readsContact = true
        /// Only a tDynamo has a field; for others the bit is reserved (mDynamo programmer's manual
        /// D998200151-200, table 7-21).
        package var readsContactless = false
        /// In minor units of the currency, at most 12 digits.
        package var amount: UInt64
        package var cashback: UInt64 = 0
        /// Tag `9C`.
        package var transactionType: UInt8
        /// ISO 4217 numeric code.
        package var currencyCode: UInt16
        /// Whether all changes are reported, or only the end of the transaction.
        package var reportsProgress = true

        package init(timeout: UInt8, amount: UInt64, transactionType: UInt8, currencyCode: UInt16) {
            self.timeout = timeout
            self.amount = amount
            self.transactionType = transactionType
            self.currencyCode = currencyCode
        }

        package var command: ExtendedCommand {
            let cards: UInt8 = (readsContact ? 0x02 : 0) | (readsContactless ? 0x04 : 0)
            var data: [UInt8] = [timeout, cards, 0x00]
            data += BCD.encode(amount, count: 6) ?? []
            data.append(transactionType)
            data += BCD.encode(cashback, count: 6) ?? []
            data += BCD.encode(UInt64(currencyCode), count: 2) ?? []
            data.append(reportsProgress ? 0x02 : 0x00)
            return ExtendedCommand(ExtendedCommand.startTransaction, data)
        }
    }

    /// The cardholder's selection from the menu that the device sent (extended command 0302).
    ///
    /// - Parameter choice: From 0; nil ends the transaction.
    package static func selection(_ choice: Int?) -> ExtendedCommand {
        // The first text of the menu is its title, so the first choice is number 1.
        let data: [UInt8] = choice.map { [0x00, UInt8(clamping: $0 + 1)] } ?? [0x01, 0x00]
        return ExtendedCommand(ExtendedCommand.selectionResult, data)
    }

    /// The issuer's answer (table 8-40 and appendix D.2).
    ///
    /// - Parameters:
    ///   - serialNumber: As returned by the device with the card, tag `DFDF25`.
    ///   - objects: `8A`, and `91`, `71`, `72` if the issuer sent them.
    package static func answer(serialNumber: [UInt8], objects: [UInt8]) -> ExtendedCommand {
        var message = tlv(0xF9) { message in
            message.append(0xDFDF54, [UInt8](repeating: 0, count: 10))
            message.append(0xDFDF55, [0x82])
            message.append(0xDFDF25, serialNumber)
            message.append(0xFA) { $0.append(0x70, objects) }
        }
        // Length and message are padded to whole blocks. A MAC of four bytes follows; it is
        // mandatory but not checked. The example in the manual counts both in the length.
        message += [UInt8](repeating: 0, count: (8 - (message.count + 2) % 8) % 8 + 4)
        return ExtendedCommand(
            ExtendedCommand.issuerAnswer,
            [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(message.count & 0xFF)] + message)
    }
}

/// A notification of a Dynamo during a transaction (D998200115-17, section 7.2). What of it belongs
/// to taps is in MagTek's public demonstration of V5 readers alone.
package enum DynamoNotification: Sendable {
    package enum Event: UInt8, Sendable {
        case none = 0x00
        case cardInserted = 0x01
        case cardError = 0x02
        case progress = 0x03
        case waitingForSelection = 0x04
        case selectionTimedOut = 0x05
        case terminated = 0x06
        case cancelledByHost = 0x07
        case cardRemoved = 0x08
        /// A card is in the field.
        case contactlessDetected = 0x09
    }

    /// Why a transaction ended without a cryptogram, and what a tap needs, as far as its progress
    /// says.
    package enum Progress: UInt8, Sendable {
        case cardBlocked = 0x17
        case selectionFailed = 0x18
        case notAccepted = 0x19
        case emptyCandidateList = 0x1A
        case applicationBlocked = 0x1B
        case contactlessSelectionFailed = 0x28
        case removeCard = 0x29
        case severalCards = 0x2A
        case seePhone = 0x2B
        /// The kernel refuses the tap: insert or swipe the card. Newer firmware has it reserved.
        case otherInterface = 0x2D
        /// The card has only the mode, EMV or stripe, that the device does not take.
        case otherCardType = 0x2E
        case noInterchangeProfile = 0x2F
    }

    /// Nil for intermediate steps.
    case status(Event?, Progress?)
    /// A text to display unchanged; an empty text clears the display.
    case display(String)
    /// The device waits for a selection.
    case selection(title: String, choices: [String])
    case online(DynaProCardData)
    case result(DynamoResult)
    case other

    /// - Throws: ``DeviceError/malformed(_:_:)`` if the notification is too short.
    package init(_ notification: ExtendedNotification) throws(DeviceError) {
        let data = notification.data
        switch notification.kind {
        case .transactionStatus:
            guard data.count >= 3 else { throw .malformed(.transactionStatus, .tooShort(data.count)) }
            self = .status(Event(rawValue: data[0]), Progress(rawValue: data[2]))
        case .displayMessage: self = .display(ValueDescription.printable(data))
        case .selectionRequest:
            let texts = data.dropFirst(2).split(separator: 0).map { text in
                ValueDescription.printable(text.filter { $0 != 0x0A })
            }
            guard let title = texts.first, texts.count > 1 else { throw .malformed(.menu, .empty) }
            self = .selection(title: title, choices: Array(texts.dropFirst()))
        case .cardData: self = .online(try DynaProCardData(parsing: data))
        case .result: self = .result(try DynamoResult(parsing: data))
        case nil: self = .other
        }
    }
}

/// How a transaction ended on a Dynamo: whether a signature is required, length (2 bytes), data
/// objects (D998200115-17, table 7-4 and appendix D.3).
package struct DynamoResult: Sendable, Equatable {
    package enum Status: UInt8, Sendable {
        case approved = 0x00
        case declined = 0x01
        case error = 0x02
        case cancelledByHost = 0x10
        case selectionCancelled = 0x1E
        case selectionTimedOut = 0x1F
        case waitCancelled = 0x21
        case waitTimedOut = 0x22
        case cancelledBySwipe = 0x23
        case unknown = 0xFF
    }

    package let requiresSignature: Bool
    /// Tag `DFDF1A`.
    package let status: Status

    /// - Throws: ``DeviceError/malformed(_:_:)`` if the data are truncated, or contain no status.
    package init(parsing data: [UInt8]) throws(DeviceError) {
        guard data.count >= 3, data.count >= 3 + (Int(data[1]) << 8 | Int(data[2])) else {
            throw .malformed(.transactionResult, .invalid)
        }
        requiresSignature = data[0] == 0x01
        let bytes = Array(data[3..<(3 + (Int(data[1]) << 8 | Int(data[2])))])
        var found: UInt8?
        var walker = TLVWalker()
        do throws(TLVError) {
            while found == nil, let node = try walker.next(in: bytes.span) {
                if node.tag == 0xDFDF1A { found = bytes[node.value].first }
            }
        } catch {
            throw .malformed(.transactionResult, .invalid)
        }
        guard let found else { throw .malformed(.transactionStatus, .missing) }
        status = Status(rawValue: found) ?? .unknown
    }
}
