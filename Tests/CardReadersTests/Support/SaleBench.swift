import CardCapture
import CardCryptography
import CardReaders
import EMVKernel
import KernelDoubles
import SmartCard
import TLV
import VirtualCard

/// A terminal that sells to a virtual card in any slot, online and with everything that goes with
/// it.
struct SaleBench {
    let card: PersonalizedCard
    private let configuration: TerminalConfiguration

    /// The card is the same for all tests, since its keys take longer than everything else.
    static let shared = Result { () throws(PersonalizationError) in
        var profile = CardProfile.visaStyle()
        profile.cvmList = CVMList(rules: [
            CVMRule(code: .plaintextPIN, continuesIfUnsuccessful: true, condition: .terminalSupportsCVM)
        ])
        return try SaleBench(PersonalizedCard.make(profile))
    }

    private init(_ card: PersonalizedCard) {
        self.card = card
        var configuration = TerminalConfiguration(
            capabilities: [.contactChip, .plaintextOfflinePIN, .dda, .cda], additionalCapabilities: [.goods],
            countryCode: 840,
            applications: card.profile.applications.map {
                ApplicationConfiguration(aid: $0.aid, versions: [0x0096], floorLimit: 500_00)
            },
            caKeys: card.caPublicKeys)
        configuration.allowsPlaintextOfflinePIN = true
        self.configuration = configuration
    }

    /// A card of the same keys, with a counter of its own.
    func fresh() -> VirtualCard { VirtualCard(card) }

    func reader(_ slot: any CardSlot, pinPad: (any PINPad)? = nil) -> ChipReader {
        ChipReader(
            slot: slot, kernel: ContactKernel(configuration), cardholder: FirstChoice(pinPad: pinPad),
            environment: FixedEnvironment(),
            clock: { Timestamp(secondsSince1970: 1_795_262_400) })
    }

    func sell(_ slot: any CardSlot, pinPad: (any PINPad)? = nil) async throws(CaptureError) -> CaptureOutcome {
        try await reader(slot, pinPad: pinPad).capture(
            CaptureRequest(amount: 10_00, currencyCode: 840, sequenceCounter: 7, forcesOnline: true)
        ) { _ in .answered(IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456")) }
    }
}
