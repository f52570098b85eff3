import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

@Suite("American Express: data authentication") struct AmericanExpressAuthenticationTests {
    @Test("SDA is verified, and the issuer still decides: whoever read the card can replay it") func staticData()
        async throws
    {
        var tap = try VirtualTap.americanExpress {
            $0.interchangeProfile = [.sdaSupported, .cardholderVerificationSupported]
        }
        let run = try await tap.run()
        #expect(run.tvr == .sdaSelected)
        #expect(run.asked == 0x80)
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.data?.terminal[.dataAuthenticationCode] == [0xDA, 0xC0])
        #expect(try tap.isRight(run.outcome))
        tap.change = { $0.instruction == .readRecord ? $1.corrupted(.issuerCountryCode) : $1 }
        #expect(try await tap.run().tvr == [.sdaSelected, .sdaFailed])
        tap.change = { command, answer in
            guard command.instruction == .readRecord, answer.data.starts(with: [0x70, 0x81, 0x93]) else {
                return answer
            }
            return ResponseAPDU([0x70, 0x00])
        }
        #expect(try await tap.run().tvr == [.sdaSelected, .sdaFailed, .iccDataMissing])
        tap.change = { $1 }
        tap.terminal.capabilities.remove(.sda)
        #expect(try await tap.run().tvr == .offlineDataAuthenticationNotPerformed)
        tap.terminal.type = .attendedOfflineOnly
        #expect(try await tap.run().asked == 0x00)
    }

    @Test("A certificate that is wrong or missing: no CDA, and the issuer decides") func certificates() async throws {
        var tap = try VirtualTap.americanExpress()
        tap.change = { $0.instruction == .readRecord ? $1.corrupted(.iccPublicKeyCertificate) : $1 }
        let wrong = try await tap.run()
        #expect(wrong.tvr == .cdaFailed)
        #expect(wrong.asked == 0x80)
        tap.change = { command, answer in
            // Record 2 of file 4 is the card's certificate.
            command.instruction == .readRecord && command.p1 == 2 && command.p2 == 0x24
                ? ResponseAPDU([0x70, 0x00]) : answer
        }
        #expect(try await tap.run().tvr == [.cdaFailed, .iccDataMissing])
    }

    @Test(
        "A signed cryptogram that is changed on its way is declined",
        arguments: [TLV.Tag.signedDynamicApplicationData, .applicationTransactionCounter])
    func changedAnswer(_ tag: TLV.Tag) async throws {
        for amount in [10_00 as UInt64, 30_00] {
            var tap = try VirtualTap.americanExpress()
            tap.request.amount = amount
            tap.change = { $0.instruction == .generateAC ? $1.corrupted(tag) : $1 }
            let run = try await tap.run()
            #expect(run.outcome.status == .declined)
            guard case .dataAuthentication = run.outcome.reason else {
                Issue.record("\(String(describing: run.outcome.reason))")
                return
            }
            #expect(run.tvr?.contains(.cdaFailed) == true)
        }
    }

    @Test("The reader's data are signed: another terminal type on its way to the card fails CDA") func changedOptions()
        async throws
    {
        var tap = try VirtualTap.americanExpress()
        tap.ask = { command in
            var changed = command
            if command.instruction == .getProcessingOptions { changed.data[2] ^= 0x08 }
            return changed
        }
        #expect(try await tap.run().outcome.reason == .dataAuthentication(.signature(.transactionDataHash)))
    }

    @Test("A TC without its signature is no TC") func stripped() async throws {
        var tap = try VirtualTap.americanExpress()
        tap.change = { command, answer in
            guard command.instruction == .generateAC else { return answer }
            return ResponseAPDU(
                tlv(.responseTemplate2) {
                    $0.append(.cryptogramInformationData, [0x40])
                    $0.append(.applicationTransactionCounter, [0x00, 0x01])
                    $0.append(.applicationCryptogram, [1, 2, 3, 4, 5, 6, 7, 8])
                    $0.append(.issuerApplicationData, [0x06, 0x01, 0x0A, 0x03, 0xA0, 0x00, 0x00])
                })
        }
        let outcome = try await tap.run().outcome
        #expect(outcome.status == .endApplication)
        #expect(outcome.reason == .termination(.missingData(.signedDynamicApplicationData)))
    }
}
