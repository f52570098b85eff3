import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

@Suite("UnionPay: verification of the cardholder") struct UnionPayVerificationTests {
    private func run(
        _ methods: [VisaContactlessProfile.Verification], device: ContactlessProfile.Device? = nil,
        amount: UInt64 = 60_00,
        hasPINPad: Bool = true
    ) async throws -> VirtualTap.Run {
        var tap = try VirtualTap.unionPay(
            {
                $0.verifications = methods
                $0.device = device
            }, hasPINPad: hasPINPad)
        tap.request.amount = amount
        return try await tap.run()
    }

    @Test("By CTQ: PIN for the issuer, signature with a receipt, the consumer's device, and none below the limit")
    func methods() async throws {
        let pin = try await run([.onlinePIN, .signature])
        #expect(pin.outcome.verification == .onlinePIN)
        #expect(pin.outcome.status == .onlineRequest)
        let signature = try await run([.onlinePIN, .signature], hasPINPad: false)
        #expect(signature.outcome.verification == .signature)
        #expect(signature.outcome.wantsReceipt)
        let device = try await run([.consumerDevice], device: .verified)
        #expect(device.outcome.verification == .consumerDevice)
        #expect(try await run([.onlinePIN], amount: 49_99).outcome.verification == ContactlessOutcome.Verification.none)
        #expect(try await run([]).outcome.status == .tryAnotherInterface)
    }

    @Test("A PIN for the issuer is never approved offline") func onlinePIN() async throws {
        var tap = try VirtualTap.unionPay(hasPINPad: true)
        tap.combinations[0].limits.cvmRequiredLimit = 5_00
        let run = try await tap.run()
        #expect(run.outcome.verification == .onlinePIN)
        #expect(run.outcome.status == .onlineRequest)
    }

    @Test("What a card claims of its owner and did not sign is declined") func claimed() async throws {
        var tap = try VirtualTap.unionPay()
        tap.combinations[0].limits.cvmRequiredLimit = 5_00
        // A signature is required (40 00); the answer claims the device's verification (00 80).
        tap.change = {
            $0.instruction == .getProcessingOptions ? $1.replacing(.cardTransactionQualifiers, with: [0x00, 0x80]) : $1
        }
        #expect(try await tap.run().outcome.reason == .consumerDeviceVerificationDiffers)
        // A signature that is no longer required (00 00).
        tap.change = {
            $0.instruction == .getProcessingOptions ? $1.replacing(.cardTransactionQualifiers, with: [0x00, 0x00]) : $1
        }
        #expect(try await tap.run().outcome.reason == .verificationNotPossible)
    }
}
