private import Bytes
import CardCryptography
package import TLV

extension ContactTransaction {
    mutating func loadTerminalData() throws(Termination) {
        data.terminal = try configuration.dataObjects(
            for: request, entryMode: 0x05, capabilities: capabilities, unpredictableNumber: environment.unpredictableNumber())
    }
}

/// The terminal's own data objects, before the card is asked for anything (EMV 4.4 Book 3, annex A; Book 4, 6.5).
extension TerminalConfiguration {
    /// - Parameters:
    ///   - entryMode: Tag `9F39`.
    ///   - capabilities: Tag `9F33`.
    ///   - unpredictableNumber: Tag `9F37`, 4 bytes.
    package func dataObjects(
        for request: TransactionRequest, entryMode: UInt8, capabilities: TerminalCapabilities, unpredictableNumber: [UInt8]
    ) throws(Termination) -> DataElements {
        guard let amount = BCD.encode(request.amount, count: 6), let other = BCD.encode(request.amountOther, count: 6) else {
            throw .configuration(.amount)
        }
        guard request.amountOther <= request.amount else { throw .configuration(.cashback) }
        guard CertificateDate(yymmdd: request.date) != nil else { throw .configuration(.date) }
        guard Self.isTime(request.time) else { throw .configuration(.time) }
        guard unpredictableNumber.count == 4 else { throw .configuration(.unpredictableNumber) }
        guard request.sequenceCounter > 0 else { throw .configuration(.sequenceCounter) }

        var data = DataElements(minimumCapacity: 48, byteCount: 256)
        data.append(.amountAuthorised, amount)
        data.append(.amountOther, other)
        // The binary amounts end at four bytes; a greater one is sent as the greatest, about which the books say nothing.
        data.append(.amountAuthorisedBinary, UInt32(clamping: request.amount).bigEndianBytes)
        data.append(.amountOtherBinary, UInt32(clamping: request.amountOther).bigEndianBytes)
        data.append(.transactionCurrencyCode, BCD.encode(UInt64(request.currencyCode), count: 2) ?? [0, 0])
        data.append(.transactionCurrencyExponent, [request.currencyExponent])
        data.append(.transactionDate, request.date)
        data.append(.transactionTime, request.time)
        data.append(.transactionType, [request.kind.rawValue])
        // 1 to 99 999 999, then again from 1 (Book 4, 6.5.5).
        data.append(
            .transactionSequenceCounter, BCD.encode(UInt64((request.sequenceCounter - 1) % 99_999_999 + 1), count: 4) ?? [])
        data.append(.unpredictableNumber, unpredictableNumber)
        data.append(.terminalType, [type.rawValue])
        data.append(.terminalCapabilities, capabilities.bytes)
        data.append(.additionalTerminalCapabilities, additionalCapabilities.bytes)
        data.append(.terminalCountryCode, BCD.encode(UInt64(countryCode), count: 2) ?? [0, 0])
        data.append(.pointOfServiceEntryMode, [entryMode])
        data.append(.merchantCategoryCode, BCD.encode(UInt64(merchant.categoryCode), count: 2) ?? [0, 0])
        data.append(.acquirerIdentifier, BCD.encode(merchant.acquirerIdentifier, count: 6) ?? [])
        data.append(.merchantIdentifier, merchant.identifier.padded(to: 15))
        data.append(.terminalIdentification, merchant.terminalIdentification.padded(to: 8))
        data.append(.interfaceDeviceSerialNumber, merchant.interfaceDeviceSerialNumber.padded(to: 8))
        data.append(.merchantNameAndLocation, Array(merchant.nameAndLocation.utf8))
        data.update(with: additionalData)
        return data
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
