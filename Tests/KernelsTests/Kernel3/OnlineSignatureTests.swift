import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

/// Data authentication before the issuer is asked (EMV Contactless Book C-3, 5.6): a signature of
/// format 95 with an ARQC.
@Suite("Signatures before the issuer is asked") struct OnlineSignatureTests {
    /// - Parameter limit: Up to which the card approves offline.
    private func tap(_ limit: UInt64? = nil, _ qualifiers: CardTransactionQualifiers = []) throws -> VirtualTap {
        var profile = CardProfile.visaStyle()
        var contactless = VisaContactlessProfile()
        contactless.approvesOfflineUpTo = limit
        contactless.qualifiers = qualifiers
        profile.contactless = .visa(contactless)
        var combination = Combination.visa(limits: TransactionLimits(transactionLimit: 300_00, floorLimit: 25_00))
        combination.qualifiers?.insert(.dataAuthenticationForOnline)
        return try VirtualTap(profile, [combination])
    }

    @Test("Format 95 with an ARQC is accepted") func format95() async throws {
        let run = try await tap().run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.data?.card.contains(.signedDynamicApplicationData) == true)
    }

    /// A relay makes an ARQC of the card's TC, to get the payment to an issuer who may not look at
    /// the cryptogram's type.
    @Test("Format 05 with an ARQC is declined: the card signed another decision") func format05() async throws {
        var tap = try tap(25_00)
        #expect(try await tap.run().outcome.status == .approved)
        tap.change = {
            $0.instruction == .getProcessingOptions ? $1.replacing(.cryptogramInformationData, with: [0x80]) : $1
        }
        let run = try await tap.run()
        #expect(run.outcome.status == .declined)
        guard case .dataAuthentication(.signature) = run.outcome.reason else {
            Issue.record("\(String(describing: run.outcome.reason))")
            return
        }
    }

    @Test("A damaged signature, certificate or record is declined, or goes online where CTQ says so")
    func damaged() async throws {
        for tag: TLV.Tag in [
            .signedDynamicApplicationData, .issuerPublicKeyCertificate, .iccPublicKeyCertificate,
            .applicationExpirationDate,
        ] {
            var strict = try tap()
            strict.change = { $1.corrupted(tag) }
            #expect(try await strict.run().outcome.status == .declined, "\(tag)")
            var lenient = try tap(nil, .onlineIfDataAuthenticationFails)
            lenient.change = { $1.corrupted(tag) }
            #expect(try await lenient.run().outcome.status == .onlineRequest, "\(tag)")
        }
    }

    /// An attacker can take the signature away, but gains nothing: the issuer verifies the
    /// cryptogram, and no claim of verification is believed that differs from what the card signed.
    @Test("A card without a signature is left to its issuer") func withoutSignature() async throws {
        var profile = CardProfile.visaStyle()
        var contactless = VisaContactlessProfile()
        contactless.interchangeProfile = []
        profile.contactless = .visa(contactless)
        var tap = try tap()
        tap = try VirtualTap(profile, tap.combinations)
        let run = try await tap.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.data?.card.contains(.signedDynamicApplicationData) == false)
    }
}
