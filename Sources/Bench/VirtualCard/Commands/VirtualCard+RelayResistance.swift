import SmartCard
import TLV

/// EXCHANGE RELAY RESISTANCE DATA (EMV Contactless Books C-2 and C-8).
extension VirtualCard {
    func exchangeRelayResistanceData(_ command: CommandAPDU, _ profile: CardRelayResistance?) throws(Refusal) -> [UInt8]
    {
        try command.requireParameters(0, 0)
        guard let profile, var transaction = session.transaction, transaction.phase == .begun,
            transaction.relayExchanges.count < CardRelayResistance.maximumTries
        else { throw Refusal(.conditionsNotSatisfied) }
        guard command.data.count == 4 else { throw Refusal(.wrongLength) }
        let answer = profile.answer(entropy: random(4))
        transaction.relayExchanges.append(command.data + answer)
        session.transaction = transaction
        return tlv(.responseTemplate1, answer)
    }
}
