private import Bytes
import CardCryptography
import TLV

/// The terminal's own data objects, before the card is asked for anything (EMV 4.4 Book 3, annex A; Book 4, 6.5).
extension ContactTransaction {
    mutating func loadTerminalData() throws(Termination) {
        guard let amount = BCD.encode(request.amount, count: 6), let other = BCD.encode(request.amountOther, count: 6) else {
            throw .configuration("the amount has more than twelve digits")
        }
        guard request.amountOther <= request.amount else { throw .configuration("the cashback is more than the amount") }
        guard CertificateDate(yymmdd: request.date) != nil else { throw .configuration("the transaction's date is no date YYMMDD") }
        guard Self.isTime(request.time) else { throw .configuration("the transaction's time is no time HHMMSS") }
        let unpredictableNumber = environment.unpredictableNumber()
        guard unpredictableNumber.count == 4 else { throw .configuration("the unpredictable number has not four bytes") }
        guard request.sequenceCounter > 0 else { throw .configuration("the transaction sequence counter is zero") }

        let merchant = configuration.merchant
        data.terminal.append(.amountAuthorised, amount)
        data.terminal.append(.amountOther, other)
        // The binary amounts end at four bytes; a greater one is sent as the greatest, about which the books say nothing.
        data.terminal.append(.amountAuthorisedBinary, UInt32(clamping: request.amount).bigEndianBytes)
        data.terminal.append(.amountOtherBinary, UInt32(clamping: request.amountOther).bigEndianBytes)
        data.terminal.append(.transactionCurrencyCode, BCD.encode(UInt64(request.currencyCode), count: 2) ?? [0, 0])
        data.terminal.append(.transactionCurrencyExponent, [request.currencyExponent])
        data.terminal.append(.transactionDate, request.date)
        data.terminal.append(.transactionTime, request.time)
        data.terminal.append(.transactionType, [request.kind.rawValue])
        // 1 to 99 999 999, then again from 1 (Book 4, 6.5.5).
        data.terminal.append(
            .transactionSequenceCounter, BCD.encode(UInt64((request.sequenceCounter - 1) % 99_999_999 + 1), count: 4) ?? [])
        data.terminal.append(.unpredictableNumber, unpredictableNumber)
        data.terminal.append(.terminalType, [configuration.type.rawValue])
        data.terminal.append(.terminalCapabilities, capabilities.bytes)
        data.terminal.append(.additionalTerminalCapabilities, configuration.additionalCapabilities.bytes)
        data.terminal.append(.terminalCountryCode, BCD.encode(UInt64(configuration.countryCode), count: 2) ?? [0, 0])
        data.terminal.append(.pointOfServiceEntryMode, [0x05])
        data.terminal.append(.merchantCategoryCode, BCD.encode(UInt64(merchant.categoryCode), count: 2) ?? [0, 0])
        data.terminal.append(.acquirerIdentifier, BCD.encode(merchant.acquirerIdentifier, count: 6) ?? [])
        data.terminal.append(.merchantIdentifier, merchant.identifier.padded(to: 15))
        data.terminal.append(.terminalIdentification, merchant.terminalIdentification.padded(to: 8))
        data.terminal.append(.interfaceDeviceSerialNumber, merchant.interfaceDeviceSerialNumber.padded(to: 8))
        data.terminal.append(.merchantNameAndLocation, Array(merchant.nameAndLocation.utf8))
        data.terminal.update(with: configuration.additionalData)
    }

    private static func isTime(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 3, let hours = BCD.number(bytes[..<1]), let minutes = BCD.number(bytes[1..<2]),
            let seconds = BCD.number(bytes[2...])
        else { return false }
        return hours < 24 && minutes < 60 && seconds < 60
    }
}

extension String {
    /// The text in ASCII, filled up with zeros (EMV 4.4 Book 3, annex A) or cut to `count` bytes.
    fileprivate func padded(to count: Int) -> [UInt8] {
        let text = Array(utf8.prefix(count))
        return text + repeatElement(0, count: count - text.count)
    }
}
