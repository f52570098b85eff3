import CardCryptography
import SmartCard
import TLV

/// Mag-stripe mode of Visa's cards (MSD). Format 1 says so in AIP byte 2 bit 8, which for
/// Mastercard means EMV mode; the record has track 2 with dCVV.
///
/// The places of counter and code in the discretionary data are our own: no public source has those
/// of the payment system.
extension VirtualCard {
    func startMagstripe(_ reader: TerminalTransactionQualifiers) throws(Refusal) -> [UInt8] {
        guard reader.contains(.magstripeMode), applicationTransactionCounter < .max else {
            throw Refusal(.conditionsNotSatisfied)
        }
        applicationTransactionCounter += 1
        var transaction = CardTransaction(counter: applicationTransactionCounter, received: [])
        transaction.phase = .complete
        session.transaction = transaction
        session.magstripeRecord = try magstripeRecord(counter: transaction.counter)
        return tlv(
            .responseTemplate1,
            ApplicationInterchangeProfile.contactlessEMVMode.bytes
                + ApplicationFileLocator([.init(sfi: Self.dynamicFile, 1...1)]).bytes)
    }

    /// Track 2 with four digits of the counter and the code behind the service code.
    private func magstripeRecord(counter: UInt16) throws(Refusal) -> [UInt8] {
        let values = profile.dataObjects
        var digits = (values[.track2EquivalentData] ?? []).flatMap { [$0 >> 4, $0 & 0x0F] }
        guard let separator = digits.firstIndex(of: 0x0D), separator + 15 < digits.count, let key = card.checksumKey,
            let pan = AccountNumber(ascii: digits[..<separator].map { $0 | 0x30 })
        else { throw Refusal(.conditionsNotSatisfied) }
        let expiry = digits[(separator + 1)...(separator + 4)].map { $0 | 0x30 }
        do throws(CryptogramError) {
            let code = try DynamicVerificationValue.compute(pan: pan, expiry: expiry, counter: counter, key: key)
            let number = [1000, 100, 10, 1].map { UInt8(truncatingIfNeeded: Int(counter) / $0 % 10) }
            digits.replaceSubrange((separator + 8)..<(separator + 15), with: number + code.map { $0 & 0x0F })
        } catch {
            throw Refusal(.conditionsNotSatisfied)
        }
        let track = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return tlv(.recordTemplate) { record in
            record.append(.track2EquivalentData, track)
            record.append(.cardholderName, values[.cardholderName] ?? [])
        }
    }
}
