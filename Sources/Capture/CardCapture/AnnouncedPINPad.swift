import Bytes
import EMVKernel
import SmartCard

/// A cardholder whose language is that of the display, and whose PIN entries it shows.
struct AnnouncedCardholder: Cardholder {
    let cardholder: any Cardholder
    let display: CardholderDisplay

    var pinPad: (any PINPad)? { cardholder.pinPad.map { AnnouncedPINPad(pad: $0, display: display) } }

    func chooseApplication(_ candidates: [Candidate]) async -> Int? { await cardholder.chooseApplication(candidates) }
    func chooseLanguage(_ languages: [Language]) async -> Language? { await cardholder.chooseLanguage(languages) }
    func use(_ language: Language) async {
        display.use(language)
        await cardholder.use(language)
    }
}

private struct AnnouncedPINPad: PINPad {
    let pad: any PINPad
    let display: CardholderDisplay

    var testOnlyReason: String? { pad.testOnlyReason }

    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        display.instruct(.enterPIN)
        let entry = await pad.enterOnlinePIN(pan: pan, amount: amount, currencyCode: currencyCode)
        if case .entered = entry { display.instruct(.pinEntered) }
        return entry
    }

    func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        display.instruct(triesLeft == 1 ? .enterPINLastTry : .enterPIN)
        let entry = try await pad.verifyOfflinePIN(form, triesLeft: triesLeft, card: card)
        if case .answered = entry { display.instruct(.pinEntered) }
        return entry
    }
}
