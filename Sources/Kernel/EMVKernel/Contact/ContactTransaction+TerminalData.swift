private import Bytes
import CardCryptography
package import TLV

extension ContactTransaction {
    mutating func loadTerminalData() throws(Termination) {
        data.terminal = try configuration.dataObjects(
            for: request, entryMode: 0x05, capabilities: capabilities,
            unpredictableNumber: environment.unpredictableNumber())
    }
}

/// The terminal's own data objects, before the first command to the card (EMV 4.4 Book 3, annex A;
/// Book 4, 6.5).
extension TerminalConfiguration {
    /// - Parameters:
    ///   - entryMode: Tag `9F39`.
    ///   - capabilities: Tag `9F33`.
    ///   - unpredictableNumber: Tag `9F37`, 4 bytes.
    package func dataObjects(
        for request: TransactionRequest, entryMode: UInt8, capabilities: TerminalCapabilities,
        unpredictableNumber: [UInt8]
    ) throws(Termination) -> DataElements {
        guard request.amount < 1_000_000_000_000, request.amountOther < 1_000_000_000_000 else {
            throw .configuration(.amount)
        }
        guard request.amountOther <= request.amount else { throw .configuration(.cashback) }
        guard CertificateDate(yymmdd: request.date) != nil else { throw .configuration(.date) }
        guard Self.isTime(request.time) else { throw .configuration(.time) }
        guard unpredictableNumber.count == 4 else { throw .configuration(.unpredictableNumber) }
        guard request.sequenceCounter > 0 else { throw .configuration(.sequenceCounter) }

        var data = DataElements(minimumCapacity: 40, byteCount: 256)
        data.append(.amountAuthorised, decimal: request.amount, count: 6)
        data.append(.amountOther, decimal: request.amountOther, count: 6)
        // The binary amounts end at four bytes; a greater amount is sent as the maximum. The books
        // do not define this case.
        data.append(.amountAuthorisedBinary, bigEndian: min(request.amount, 0xFFFF_FFFF), count: 4)
        data.append(.amountOtherBinary, bigEndian: min(request.amountOther, 0xFFFF_FFFF), count: 4)
        data.append(.transactionCurrencyCode, decimal: UInt64(request.currencyCode), count: 2)
        data.append(.transactionCurrencyExponent, bigEndian: UInt64(request.currencyExponent), count: 1)
        data.append(.transactionDate, request.date)
        data.append(.transactionTime, request.time)
        data.append(.transactionType, bigEndian: UInt64(request.kind.rawValue), count: 1)
        // 1 to 99,999,999, then from 1 again (Book 4, 6.5.5).
        data.append(
            .transactionSequenceCounter, decimal: UInt64((request.sequenceCounter - 1) % 99_999_999 + 1), count: 4)
        data.append(.unpredictableNumber, unpredictableNumber)
        data.append(.terminalType, bigEndian: UInt64(type.rawValue), count: 1)
        data.set(.terminalCapabilities, capabilities)
        data.set(.additionalTerminalCapabilities, additionalCapabilities)
        data.append(.terminalCountryCode, decimal: UInt64(countryCode), count: 2)
        data.append(.pointOfServiceEntryMode, bigEndian: UInt64(entryMode), count: 1)
        data.append(.merchantCategoryCode, decimal: UInt64(merchant.categoryCode), count: 2)
        data.append(.acquirerIdentifier, decimal: merchant.acquirerIdentifier, count: 6)
        data.append(.merchantIdentifier, merchant.identifier, count: 15)
        data.append(.terminalIdentification, merchant.terminalIdentification, count: 8)
        data.append(.interfaceDeviceSerialNumber, merchant.interfaceDeviceSerialNumber, count: 8)
        data.append(.merchantNameAndLocation, merchant.nameAndLocation.utf8)
        data.update(with: additionalData)
        return data
    }

    private static func isTime(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 3, let hours = BCD.number(bytes[0]), let minutes = BCD.number(bytes[1]),
            let seconds = BCD.number(bytes[2])
        else { return false }
        return hours < 24 && minutes < 60 && seconds < 60
    }
}
