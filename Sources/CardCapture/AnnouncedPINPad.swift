import Bytes
import EMVKernel
import SmartCard

/// A cardholder whose PIN entries are events of the reader.
struct AnnouncedCardholder: Cardholder {
    let cardholder: any Cardholder
    let events: ReaderEvents

    var pinPad: (any PINPad)? { cardholder.pinPad.map { AnnouncedPINPad(pad: $0, events: events) } }

    func chooseApplication(_ candidates: [Candidate]) async -> Int? { await cardholder.chooseApplication(candidates) }
    func chooseLanguage(_ languages: [Language]) async -> Language? { await cardholder.chooseLanguage(languages) }
    func use(_ language: Language) async { await cardholder.use(language) }
}

private struct AnnouncedPINPad: PINPad {
    let pad: any PINPad
    let events: ReaderEvents

    var testOnlyReason: String? { pad.testOnlyReason }

    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        events.send(.instruction(.enterPIN))
        let entry = await pad.enterOnlinePIN(pan: pan, amount: amount, currencyCode: currencyCode)
        if case .entered = entry { events.send(.instruction(.pinEntered)) }
        return entry
    }

    func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        events.send(.instruction(triesLeft == 1 ? .enterPINLastTry : .enterPIN))
        let entry = try await pad.verifyOfflinePIN(form, triesLeft: triesLeft, card: card)
        if case .answered = entry { events.send(.instruction(.pinEntered)) }
        return entry
    }
}
