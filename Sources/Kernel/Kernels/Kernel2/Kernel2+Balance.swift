import Bytes
import Contactless
import EMVKernel
import SmartCard
import TLV

/// The card's offline balance, before and after GENERATE AC (EMV Contactless Book C-2, S5 and S17).
extension Kernel2 {
    static let balanceBefore: Tag = 0xDF8104
    static let balanceAfter: Tag = 0xDF8105
    static let balanceCommand = CommandAPDU.getData(0x9F50)

    /// Byte 2 bit 2 of the application capabilities `9F5D`.
    var hasBalance: Bool { data.card[0x9F5D].map { $0.count == 3 && $0[1] & 0x02 != 0 } ?? false }

    /// The balance in an answer to GET DATA (EMV Contactless Book C-2, S5 and S17), format n 12;
    /// nil if the card does not return it.
    static func balance(_ answer: ResponseAPDU) -> [UInt8]? {
        guard answer.status == .success, let value = Template.contents(of: answer.data, tag: 0x9F50), value.count == 6,
            BCD.number(value) != nil
        else { return nil }
        return value
    }

    /// The outcome with the card's balance after GENERATE AC. It is shown if the card reports its
    /// currency.
    func adding(_ balance: [UInt8], to outcome: ContactlessOutcome) -> ContactlessOutcome {
        var outcome = outcome
        outcome.data?.terminal[Self.balanceAfter] = balance
        outcome.discretionaryData[Self.balanceAfter] = balance
        if outcome.status == .approved, let amount = BCD.number(balance),
            let currency = data.card.number(.applicationCurrencyCode).flatMap(UInt16.init(exactly:))
        {
            outcome.onOutcome?.value = .balance(amount, currency: currency)
        }
        return outcome
    }
}
