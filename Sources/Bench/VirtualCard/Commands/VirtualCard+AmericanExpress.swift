import SmartCard
import TLV

/// The commands of an American Express card in a reader's field.
extension VirtualCard {
    /// Begins a transaction. A phone adds its mobile CVM results.
    func getProcessingOptions(_ command: CommandAPDU, _ contactless: AmericanExpressContactlessProfile) throws(Refusal)
        -> [UInt8]
    {
        if contactless.device == .locked, !state.isDeviceUnlocked {
            state.isDeviceUnlocked = true
            throw Refusal(Self.seePhone)
        }
        let results = contactless.device.map { _ in AmericanExpressContactlessProfile.verifiedOnDevice }
        return try getRecordProcessingOptions(command, more: results.map { [(.mobileCVMResults, $0)] } ?? [])
    }

    /// One GENERATE AC: the card has left the field before the issuer answers.
    func generateSingleAC(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        guard session.transaction?.phase == .begun else { throw Refusal(.conditionsNotSatisfied) }
        return try generateAC(command)
    }
}
