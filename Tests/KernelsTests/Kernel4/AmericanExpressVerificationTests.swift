import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

@Suite("American Express: verification of the cardholder") struct AmericanExpressVerificationTests {
    @Test("A phone that verified its owner, at any amount") func phone() async throws {
        for amount in [10_00 as UInt64, 200_00] {
            var tap = try VirtualTap.americanExpress { $0.device = .verified }
            tap.request.amount = amount
            let run = try await tap.run()
            #expect(run.outcome.verification == .consumerDevice)
            #expect(run.outcome.data?[.cvmResults] == [0x01, 0x00, 0x02])
            #expect(try tap.isRight(run.outcome))
        }
    }

    @Test(
        "Results that are not a success do not count",
        arguments: [
            [0x01, 0x00, 0x01], [0x01, 0x00, 0x03], [0x3F, 0x00, 0x02], [0x01, 0x01, 0x02], [0x01, 0x00, 0x00],
        ] as [[UInt8]])
    func otherResults(_ value: [UInt8]) async throws {
        var tap = try VirtualTap.americanExpress { $0.device = .verified }
        tap.request.amount = 60_00
        tap.change = { $1.replacing(0x9F71, with: value) }
        #expect(try await tap.run().outcome.verification == .signature)
    }

    @Test("The terminal required it: condition 03") func requiredByTheTerminal() async throws {
        var tap = try VirtualTap.americanExpress { $0.device = .verified }
        tap.request.amount = 60_00
        tap.change = { $1.replacing(0x9F71, with: [0x01, 0x03, 0x02]) }
        #expect(try await tap.run().outcome.verification == .consumerDevice)
    }

    @Test("A card, a card without CDA and a reader without the bit do not verify on a device") func noDevice()
        async throws
    {
        // A card that claims the results of a phone.
        var card = try VirtualTap.americanExpress()
        card.request.amount = 60_00
        card.change = { command, answer in
            guard command.instruction == .getProcessingOptions, let place = answer.data.indices.first else {
                return answer
            }
            var data = answer.data + [0x9F, 0x71, 0x03, 0x01, 0x00, 0x02]
            data[place + 1] += 6
            return ResponseAPDU(data)
        }
        #expect(try await card.run().outcome.verification == .signature)
        var unsigned = try VirtualTap.americanExpress {
            $0.device = .verified
            $0.interchangeProfile = [.cardholderVerificationSupported]
        }
        unsigned.request.amount = 60_00
        #expect(try await unsigned.run().outcome.verification == .signature)
        var reader = try VirtualTap.americanExpress { $0.device = .verified }
        reader.request.amount = 60_00
        reader.combinations[0].kernel = Kernel4Configuration(supportsMobileVerification: false)
        #expect(try await reader.run().outcome.verification == .signature)
    }

    @Test("From the CVM required limit on: PIN for the issuer, or a signature with a receipt") func list() async throws
    {
        var tap = try VirtualTap.americanExpress(hasPINPad: true)
        tap.request.amount = 50_00
        let pin = try await tap.run()
        #expect(pin.outcome.verification == .onlinePIN)
        #expect(pin.outcome.data?[.cvmResults] == [0x42, 0x03, 0x00])
        #expect(pin.tvr?.contains(.onlineCVMCaptured) == true)
        tap.combinations = [.americanExpress(limits: .usual)]
        let signature = try await tap.run()
        #expect(signature.outcome.verification == .signature)
        #expect(signature.outcome.wantsReceipt)
        tap.request.amount = 49_99
        #expect(try await tap.run().outcome.verification == ContactlessOutcome.Verification.none)
    }

    @Test("A PIN for the issuer is never approved offline, regardless of the action codes") func onlinePIN()
        async throws
    {
        var tap = try VirtualTap.americanExpress(profile: { $0.actionCodes.online = [] })
        var kernel = Kernel4Configuration(verificationAboveLimit: .encipheredOnlinePIN)
        kernel.actionCodes = ActionCodes()
        tap.combinations[0].kernel = kernel
        tap.combinations[0].limits.cvmRequiredLimit = 5_00
        #expect(try await tap.run().asked == 0x90)
        tap.terminal.type = .attendedOfflineOnly
        #expect(try await tap.run().asked == 0x00)
    }

    @Test("A cardholder who should have been verified and was not is for the issuer") func noMethod() async throws {
        var tap = try VirtualTap.americanExpress(profile: { $0.actionCodes.online = [] })
        var kernel = Kernel4Configuration(verificationAboveLimit: [])
        kernel.actionCodes = ActionCodes()
        tap.combinations[0].kernel = kernel
        tap.combinations[0].limits.cvmRequiredLimit = 5_00
        let run = try await tap.run()
        #expect(run.asked == 0x90)
        #expect(run.outcome.verification == nil)
        #expect(run.tvr?.contains(.cardholderVerificationFailed) == true)
        tap = try VirtualTap.americanExpress { $0.interchangeProfile.remove(.cardholderVerificationSupported) }
        tap.combinations[0].limits.cvmRequiredLimit = 5_00
        #expect(try await tap.run().asked == 0x90)
    }
}
