import CardCryptography
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

@Suite("UnionPay: fast DDA") struct UnionPaySignatureTests {
    @Test("Version 00 signs neither amount nor CTQ: it is refused") func version() async throws {
        var tap = try VirtualTap.unionPay()
        tap.change = { command, answer in
            guard command.instruction == .readRecord, answer.data.count > 5, answer.data[2..<4] == [0x9F, 0x69] else {
                return answer
            }
            var changed = answer
            changed.data[5] = 0x00
            return changed
        }
        let run = try await tap.run()
        #expect(run.outcome.status == .declined)
        #expect(run.outcome.reason == .dataAuthenticationVersion)
    }

    @Test("Number, amount, currency and every byte of the related data are signed") func everythingIsSigned()
        async throws
    {
        // TTQ, amount, amount other, country, TVR, currency, date, type, number.
        for offset in [6 + 5, 6 + 12 + 2 + 5 + 1, 6 + 12 + 2 + 5 + 2 + 3 + 1 + 3] {
            var tap = try VirtualTap.unionPay()
            tap.ask = { command in
                guard command.instruction == .getProcessingOptions else { return command }
                var changed = command
                changed.data[offset] ^= 0x01
                return changed
            }
            let outcome = try await tap.run().outcome
            #expect(outcome.status == .declined, "byte \(offset)")
            #expect(outcome.reason == .dataAuthentication(.signature(.hash)), "byte \(offset)")
        }
        for offset in 6..<12 {
            var tap = try VirtualTap.unionPay()
            tap.change = { command, answer in
                guard command.instruction == .readRecord, answer.data.count > offset,
                    answer.data[2..<4] == [0x9F, 0x69]
                else {
                    return answer
                }
                var changed = answer
                changed.data[offset] ^= 0x01
                return changed
            }
            #expect(try await tap.run().outcome.status == .declined, "byte \(offset)")
        }
    }

    @Test("A card without a signature, or of another authority: by its CTQ online, to its contacts, else declined")
    func failure()
        async throws
    {
        func outcome(_ qualifiers: CardTransactionQualifiers, _ change: (inout VirtualTap) -> Void) async throws
            -> ContactlessOutcome
        {
            var tap = try VirtualTap.unionPay { $0.qualifiers = qualifiers }
            change(&tap)
            return try await tap.run().outcome
        }
        let stranger: (inout VirtualTap) -> Void = { $0.terminal.caKeys = [] }
        #expect(try await outcome([], stranger).status == .declined)
        #expect(try await outcome(.onlineIfDataAuthenticationFails, stranger).status == .onlineRequest)
        #expect(try await outcome(.otherInterfaceIfDataAuthenticationFails, stranger).status == .tryAnotherInterface)
        let unsigned = try await VirtualTap.unionPay { $0.interchangeProfile = [] }.run().outcome
        #expect(unsigned.reason == .dataAuthentication(.missingData(.signedDynamicApplicationData)))
    }

    @Test("An ARQC passed off as a TC is not approved") func forgedType() async throws {
        var tap = try VirtualTap.unionPay { $0.approvesOfflineUpTo = nil }
        tap.change = {
            $0.instruction == .getProcessingOptions ? $1.replacing(.cryptogramInformationData, with: [0x40]) : $1
        }
        #expect(try await tap.run().outcome.status == .declined)
    }
}
