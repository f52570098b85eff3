import Bytes
import CardCryptography
import MagneticStripe
import TLV
import Testing
import VirtualCard

@Suite("Personalization of virtual cards") struct PersonalizationTests {
    @Test(arguments: [CardProfile.visaStyle(), .mastercardStyle()])
    func defaultNumbersHaveTheirCheckDigit(_ profile: CardProfile) {
        #expect(Luhn.isValid(profile.account.pan.revealed()))
    }

    @Test func caKeyForEachProvider() throws {
        let card = try PersonalizedCard.shared {
            $0.applications += CardProfile.mastercardStyle().applications + CardProfile.visaStyle().applications
        }
        #expect(card.caPublicKeys.map(\.rid) == [[0xA0, 0, 0, 0, 3], [0xA0, 0, 0, 0, 4]])
        #expect(card.caPublicKey.index == 0xE0)
    }

    /// EMV 4.4 Book 2, 11.2.1: a terminal takes the certificates for the keys.
    @Test("Keys on curves are also certificates, from which the same keys come", arguments: [false, true])
    func caCertificates(
        ofKernel8: Bool
    ) throws {
        var profile = ofKernel8 ? CardProfile.kernel8Style() : .visaStyle()
        if !ofKernel8 { profile.ellipticCurve = .p521 }
        let card = try PersonalizedCard.make(profile)
        let lines = card.caCertificates.map { "Test " + $0.hex }.joined(separator: "\n")
        let curves = card.caPublicKeys.filter { key in
            if case .ellipticCurve = key.key { true } else { false }
        }
        let read = try CAPublicKeyFile.parse(lines)
        #expect(read.map(\.key) == curves.map(\.key))
        #expect(read.map(\.index) == curves.map(\.index))
        #expect(!read.isEmpty)
    }

    @Test func refusesWhatCannotWork() {
        #expect(throws: PersonalizationError.noApplication) { try PersonalizedCard.shared { $0.applications = [] } }
        #expect(throws: PersonalizationError.applicationIdentifier) {
            try PersonalizedCard.shared { $0.applications[0].aid = [1] }
        }
        #expect(throws: PersonalizationError.pan) {
            try PersonalizedCard.shared { $0.account.pan = SecretBytes("12a4567890123".utf8) }
        }
        #expect(throws: PersonalizationError.fieldLength(.applicationLabel)) {
            try PersonalizedCard.shared { $0.applications[0].label = "SEVENTEEN LETTERS" }
        }
        #expect(throws: PersonalizationError.fieldLength(.applicationLabel)) {
            try PersonalizedCard.shared { $0.applications[0].label = "CAF\u{C9}" }
        }
        #expect(throws: PersonalizationError.preferredName(.latin1)) {
            try PersonalizedCard.shared { $0.applications[0].preferredName = "\u{3B1}" }
        }
        #expect(throws: PersonalizationError.fieldLength(.languagePreference)) {
            try PersonalizedCard.shared { $0.languages = ["de", "en", "fr", "it", "nl"] }
        }
        #expect(throws: PersonalizationError.missing(.unpredictableNumber, fromList: .cdol1)) {
            try PersonalizedCard.shared { $0.cdol1 = DOL(entries: $0.cdol1.entries.dropLast()) }
        }
    }
}
