import Bytes
package import DeviceIO
import TLV

/// What a host asks of a transaction of a Dynamo (eDynamo programmer's manual D998200115-17, section 8.4).
package enum DynamoCommand {
    /// Begins a transaction (table 8-38).
    package struct Start: Sendable, Equatable {
        /// In seconds, 1 to 255: how long the device waits for a card, and for each choice.
        package var timeout: UInt8
        package var readsContact = true
        package var readsContactless = false
        /// In the currency's minor unit, 12 digits at most.
        package var amount: UInt64
        package var cashback: UInt64 = 0
        /// Tag `9C`.
        package var transactionType: UInt8
        /// ISO 4217, number.
        package var currencyCode: UInt16
        /// All changes, or but the end of the transaction.
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

    /// What the cardholder has chosen of the menu that the device sent (extended command 0302): the number of the choice, or that there is none.
    ///
    /// - Parameter choice: From 0; nil ends the transaction.
    package static func selection(_ choice: Int?) -> ExtendedCommand {
        // The menu's first text is its title, and so the first choice is number 1.
        let data: [UInt8] = choice.map { [0x00, UInt8(clamping: $0 + 1)] } ?? [0x01, 0x00]
        return ExtendedCommand(ExtendedCommand.selectionResult, data)
    }

    /// The issuer's answer (table 8-40 and appendix D.2).
    ///
    /// - Parameters:
    ///   - serialNumber: As the device gave it with the card, tag `DFDF25`.
    ///   - objects: `8A`, and `91`, `71`, `72` if the issuer sent them.
    package static func answer(serialNumber: [UInt8], objects: [UInt8]) -> ExtendedCommand {
        var message = tlv(0xF9) { message in
            message.append(0xDFDF54, [UInt8](repeating: 0, count: 10))
            message.append(0xDFDF55, [0x82])
            message.append(0xDFDF25, serialNumber)
            message.append(0xFA) { $0.append(0x70, objects) }
        }
        // Length and message are filled up to whole blocks, and a MAC of four bytes follows that must be there and is not checked. The manual's own
        // example counts both in the length.
        message += [UInt8](repeating: 0, count: (8 - (message.count + 2) % 8) % 8 + 4)
        return ExtendedCommand(
            ExtendedCommand.issuerAnswer, [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(message.count & 0xFF)] + message)
    }
}

/// What a Dynamo tells of a transaction (D998200115-17, section 7.2).
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
    }

    /// Why a transaction ended that got no cryptogram, as far as its progress tells.
    package enum Progress: UInt8, Sendable {
        case cardBlocked = 0x17
        case selectionFailed = 0x18
        case notAccepted = 0x19
        case emptyCandidateList = 0x1A
        case applicationBlocked = 0x1B
    }

    /// Nil where it says something on the way.
    case status(Event?, Progress?)
    /// To be shown as it is; empty clears the display.
    case display(String)
    /// The device waits for the choice.
    case selection(title: String, choices: [String])
    case online(DynaProCardData)
    case result(DynamoResult)
    case other

    /// - Throws: ``DeviceError/malformed(_:_:)`` if the notification is shorter than it must be.
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

/// How a transaction ended on a Dynamo: whether a signature is wanted, length (2 bytes), data objects (D998200115-17, table 7-4 and appendix D.3).
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

    /// - Throws: ``DeviceError/malformed(_:_:)`` if the data are cut off, or name no status.
    package init(parsing data: [UInt8]) throws(DeviceError) {
        guard data.count >= 3, data.count >= 3 + (Int(data[1]) << 8 | Int(data[2])) else { throw .malformed(.transactionResult, .invalid) }
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
