package import SmartCard
package import TLV

/// The answer to a GENERATE AC in a log, format 1 or 2.
package struct LoggedCryptogram {
    package let information: CryptogramInformationData
    /// Tag `9F26`; nil if it is within a CDA signature.
    package let value: [UInt8]?
    /// Tag `9F36`.
    package let counter: [UInt8]?
    /// Tag `9F10`; empty if it is absent.
    package let issuerApplicationData: [UInt8]

    /// Nil if the command failed or its answer cannot be read. An answer to GET PROCESSING OPTIONS
    /// may leave out the CID; the type is then in the card verification results (EMV Contactless
    /// Book C-3, 5.4.3).
    package init?(_ response: ResponseAPDU) {
        guard response.status == .success else { return nil }
        var walker = TLVWalker()
        guard let template = try? walker.next(in: response.data.span) else { return nil }
        if template.tag == .responseTemplate1 {
            let bytes = response.data[template.value]
            guard bytes.count >= 11 else { return nil }
            information = CryptogramInformationData(rawValue: bytes[bytes.startIndex])
            counter = Array(bytes.dropFirst().prefix(2))
            value = Array(bytes.dropFirst(3).prefix(8))
            issuerApplicationData = Array(bytes.dropFirst(11))
        } else {
            guard let elements = try? DataElements(parsing: response.data) else { return nil }
            value = elements[.applicationCryptogram]
            issuerApplicationData = elements[.issuerApplicationData] ?? []
            let inResults = value == nil ? nil : Self.type(inResults: issuerApplicationData)
            guard let cid = elements[.cryptogramInformationData]?.first ?? inResults else { return nil }
            information = CryptogramInformationData(rawValue: cid)
            counter = elements[.applicationTransactionCounter]
        }
    }

    /// The type of the first cryptogram in bits 6 and 5 of the second byte of Visa's and UnionPay's
    /// results, which the CID has in bits 8 and 7.
    private static func type(inResults data: [UInt8]) -> UInt8? {
        guard data.count >= 7, data[3] == 0x03 || data.count == 32 && data[0] == 0x1F else { return nil }
        return (data[4] & 0x30) << 2
    }

    /// The input of the cryptogram, if `command` contains it: the elements of the minimum set by
    /// tag, or, if the list of a first GENERATE AC lacks one of them, its first 29 bytes, which is
    /// the order of CDOL1 on M/Chip cards.
    func input(_ command: CommandAPDU, _ card: DataElements, _ lists: LoggedLists, isFirst: Bool) -> CryptogramInput? {
        guard let counter, counter.count == 2, let profile = card[.applicationInterchangeProfile],
            let sent = lists.elements(command, isFirst: isFirst)
        else { return nil }
        let byName = Self.minimumSet.compactMap { sent[$0] }
        let terminalData: [UInt8]
        if byName.count == Self.minimumSet.count {
            terminalData = byName.flatMap { $0 }
        } else if isFirst, command.instruction == .generateAC, command.data.count >= 29 {
            terminalData = Array(command.data.prefix(29))
        } else {
            return nil
        }
        return CryptogramInput(
            terminalData: terminalData, applicationInterchangeProfile: profile,
            atc: UInt16(counter[0]) << 8 | UInt16(counter[1]),
            issuerApplicationData: issuerApplicationData, unpredictableNumber: sent[.unpredictableNumber] ?? [])
    }

    /// EMV 4.4 Book 2, 8.1.1, table 28: the terminal's part.
    private static let minimumSet: [Tag] = [
        .amountAuthorised, .amountOther, .terminalCountryCode, .terminalVerificationResults, .transactionCurrencyCode,
        .transactionDate, .transactionType, .unpredictableNumber,
    ]
}
