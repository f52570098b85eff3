import Bytes
import CardCryptography
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

private typealias Storage = MastercardContactlessProfile.DataStorage

@Suite("Integrated data storage: a slot is read and written with the payment") struct IntegratedDataStorageTests {
    /// The digests are those of `Tests/Peers/owhf2.py`, computed with openssl.
    @Test("The first write, in a slot that was free, and reading it at the next tap") func firstWrite() async throws {
        let tap = try StorageTap()
        let first = try await tap.run(.write("TEN POINTS", .permanentSlot, terminalInput: StorageTap.input))
        #expect(first.outcome.status == .approved)
        #expect(first.summaryStatus == "C0")
        #expect(first.error == 0)
        let reported = try #require(first.reported)
        // DS ID: PAN and sequence number. A slot of either kind is free.
        #expect(reported[0x9F5E]?.hex == "541333008960011901" && reported[0x9F5F]?.hex == "C0")
        #expect(reported[0x9F7F]?.count == 4)
        #expect(!reported.contains(0x9F54))
        #expect(!reported.contains(0x9F6F))
        #expect(reported[.unpredictableNumber] == first.outcome.data?.terminal[.unpredictableNumber])
        // DSDOL: DS input (card), digest, info, and the data set without padding.
        #expect(first.storageData?.hex == "0000000000000000" + "3AF49650C0E77DFB" + "80" + Array("TEN POINTS".utf8).hex)
        #expect(first.tap.asked == 0x50)
        let second = try await tap.run()
        #expect(second.outcome.status == .approved)
        #expect(second.summaryStatus == "80")
        #expect(second.storageData == [])
        #expect(second.reported?[0x9F54].map { String(decoding: $0, as: UTF8.self) } == "TEN POINTS")
        #expect(second.reported?[0x9F6F]?.hex == "80")
        #expect(second.reported?.contains(0x9F5F) == false)
        #expect(second.reported?[0x9F7D] == first.outcome.discretionaryData[0xDF8102])
        // What the card has is with the captured data.
        #expect(second.outcome.data?[0x9F54] == Array("TEN POINTS".utf8))
        #expect(second.outcome.data?[0xDF810B] == [0x80])
    }

    @Test("A permanent slot is updated by the operator that knows the last input") func update() async throws {
        let tap = try StorageTap()
        _ = try await tap.run(.write("ONE", .permanentSlot, terminalInput: StorageTap.input))
        let other = [UInt8](repeating: 1, count: 8)
        let wrong = try await tap.run(.write("TWO", .permanentSlot, cardInput: other, terminalInput: StorageTap.input))
        #expect(wrong.outcome.status == .approved)
        #expect(wrong.summaryStatus == "80")
        let right = try await tap.run(
            .write("THREE", .permanentSlot, cardInput: StorageTap.input, terminalInput: Array(repeating: 2, count: 8)))
        #expect(right.summaryStatus == "C0")
        #expect(try await tap.run().reported?[0x9F54] == Array("THREE".utf8))
    }

    @Test("A permanent slot that becomes volatile has a digest of no operator") func release() async throws {
        let tap = try StorageTap()
        _ = try await tap.run(.write("ONE", .permanentSlot, terminalInput: StorageTap.input))
        let run = try await tap.run(
            .write("TWO", .volatileSlot, cardInput: StorageTap.input, terminalInput: StorageTap.input))
        #expect(run.storageData?.dropFirst(8).prefix(8).map { $0 } == (try [UInt8](hex: "72C661CBD5DC4B23")))
        #expect(run.summaryStatus == "C0")
        #expect(try await tap.run().reported?[0x9F6F]?.hex == "40")
    }

    @Test("Without DS input (terminal) the digest is zeros") func withoutInput() async throws {
        let run = try await StorageTap().run(.write("ONE", .permanentSlot))
        #expect(run.storageData?.prefix(16).allSatisfy { $0 == 0 } == true)
        #expect(run.summaryStatus == "C0")
    }

    @Test("Version 2: AES, summaries of 16 bytes, with relay resistance behind them") func version2() async throws {
        var storage = Storage()
        storage.version = .two
        var tap = try StorageTap(storage) { $0.relayResistance = CardRelayResistance(minimum: 0) }
        tap.kernel.relayResistance = RelayResistanceLimits()
        tap.kernel.actionCodes = ActionCodes()
        let run = try await tap.run(.write("ONE", .permanentSlot, terminalInput: StorageTap.input))
        #expect(run.outcome.status == .approved)
        #expect(run.summaryStatus == "C0")
        #expect(run.tap.count(.exchangeRelayResistanceData) == 1)
        #expect(run.reported?[0x9F7D]?.count == 16 && run.outcome.discretionaryData[0xDF8102]?.count == 16)
        #expect(run.storageData?.dropFirst(8).prefix(8).map { $0 } == (try [UInt8](hex: "C0372ED14F21DD38")))
    }

    @Test("A slot of another operator: permanent ones are not available, volatile ones are replaced")
    func otherOperator() async throws {
        var tap = try StorageTap()
        _ = try await tap.run(.write("MINE", .permanentSlot))
        tap.request.operatorIdentifier = StorageTap.otherShop
        let refused = try await tap.run(.write("YOURS"))
        #expect(refused.reported?[0x9F5F]?.hex == "00")
        #expect(refused.reported?.contains(0x9F54) == false)
        #expect(refused.summaryStatus == "80")
        var other = try StorageTap()
        _ = try await other.run(.write("MINE", .volatileSlot))
        other.request.operatorIdentifier = StorageTap.otherShop
        let permanent = try await other.run(.write("YOURS", .permanentSlot))
        #expect(permanent.reported?[0x9F5F]?.hex == "40")
        #expect(permanent.summaryStatus == "80")
        #expect(try await other.run(.write("YOURS", .volatileSlot)).summaryStatus == "C0")
        other.request.operatorIdentifier = StorageTap.shop
        #expect(try await other.run().reported?.contains(0x9F54) == false)
    }

    private func locked() throws -> StorageTap {
        var slot = Storage.Slot()
        (slot.operatorIdentifier, slot.data, slot.isLocked) = (StorageTap.shop, Array("OLD".utf8), true)
        var storage = Storage()
        storage.slots = [slot]
        return try StorageTap(storage)
    }

    @Test("A locked slot is read and not written: the payment goes on, stops or is declined, as the terminal wants")
    func lockedSlot() async throws {
        let tap = try locked()
        let first = try await tap.run(.write("NEW"))
        #expect(first.reported?[0x9F6F]?.hex == "50")
        #expect(first.outcome.status == .approved)
        #expect(first.summaryStatus == "80")
        let stopped = try await tap.run(.write("NEW", instructions: [.stopIfWriteFailed]))
        #expect(stopped.outcome.status == .endApplication)
        #expect(stopped.outcome.reason == .dataStorageWrite)
        #expect(stopped.error == 0x0C)
        #expect(stopped.outcome.data == nil)
        #expect(stopped.outcome.onOutcome?.message == .insertSwipeOrTryAnotherCard)
        let declined = try await tap.run(.write("NEW", [.volatileSlot, .declineOnError]))
        // Signed, as an AAC must be here.
        #expect(declined.outcome.status == .tryAnotherInterface)
        #expect(declined.summaryStatus == "80")
        #expect(try await tap.run().reported?[0x9F54] == Array("OLD".utf8))
    }

    // MARK: Which cryptogram is asked for

    /// GAC.7 to GAC.11 and GAC.27.
    struct Choice: Sendable {
        /// By terminal action analysis, which amount and action codes bring about.
        let analysis: CryptogramType
        /// That of the terminal's data.
        let requested: CryptogramType
        /// DS ODS info for reader.
        let instructions: UInt8
        /// P1; nil for a tap that ends.
        let asked: UInt8?
        let writes: Bool

        init(
            _ analysis: CryptogramType, requested: CryptogramType, instructions: UInt8 = 0, asked: UInt8?,
            writes: Bool = true
        ) {
            self.analysis = analysis
            self.requested = requested
            self.instructions = instructions
            self.asked = asked
            self.writes = writes
        }

        static let all = [
            Choice(.tc, requested: .tc, asked: 0x50), Choice(.tc, requested: .arqc, asked: 0x90),
            Choice(.tc, requested: .aac, asked: 0x10),
            Choice(.arqc, requested: .arqc, asked: 0x90), Choice(.arqc, requested: .aac, asked: 0x10),
            Choice(.aac, requested: .aac, asked: 0x10),
            Choice(.arqc, requested: .tc, instructions: 0x40, asked: 0x90),
            Choice(.arqc, requested: .tc, asked: 0x90, writes: false),
            Choice(.arqc, requested: .tc, instructions: 0xA0, asked: 0x90, writes: false),
            Choice(.arqc, requested: .tc, instructions: 0x04, asked: nil),
            Choice(.arqc, requested: .tc, instructions: 0x44, asked: 0x90),
            Choice(.aac, requested: .tc, instructions: 0x20, asked: 0x10),
            Choice(.aac, requested: .arqc, instructions: 0x20, asked: 0x10),
            Choice(.aac, requested: .tc, asked: 0x10, writes: false),
            Choice(.aac, requested: .arqc, instructions: 0xC0, asked: 0x10, writes: false),
            Choice(.aac, requested: .arqc, instructions: 0x04, asked: nil),
            Choice(.aac, requested: .tc, instructions: 0x24, asked: 0x10),
        ]
    }

    @Test("The terminal's data lower the cryptogram, and never raise it", arguments: Choice.all)
    func cryptogram(_ choice: Choice) async throws {
        var tap = try StorageTap()
        if choice.analysis == .arqc { tap.tap.request.amount = 30_00 }
        if choice.analysis == .aac {
            tap.tap.request.amount = 30_00
            tap.kernel.actionCodes.denial.insert(.floorLimitExceeded)
        }
        let run = try await tap.run(
            .write("DATA", cryptogram: choice.requested, instructions: .init(rawValue: choice.instructions)))
        #expect(run.tap.asked == choice.asked)
        guard choice.asked != nil else {
            #expect(run.outcome.status == .endApplication)
            #expect(run.outcome.reason == .dataStorageCryptogram)
            #expect(run.error == 0x0E)
            return
        }
        #expect(run.storageData?.isEmpty == !choice.writes)
        #expect(run.summaryStatus == (choice.writes ? "C0" : "80"))
        let status: ContactlessOutcome.Status =
            switch try #require(run.tap.asked) & 0xC0 {
            case 0x40: .approved
            case 0x80: .onlineRequest
            default: .tryAnotherInterface
            }
        #expect(run.outcome.status == status)
    }

    @Test("Incomplete data of the terminal end the tap before GENERATE AC") func incomplete() async throws {
        let tap = try StorageTap()
        var writes = [
            Kernel2Configuration.DataStorage.SlotWrite.write("DATA", cryptogram: nil),
            .write("DATA", instructions: nil),
        ]
        writes += [
            .write("DATA", cardInput: [1]), .write("DATA", terminalInput: [1]),
            .write(String(repeating: "D", count: 161)),
        ]
        for write in writes {
            let run = try await tap.run(write)
            #expect(run.outcome.status == .endApplication)
            #expect(run.outcome.reason == .dataStorageData)
            #expect(run.error == 0x0D)
            #expect(run.tap.count(.generateAC) == 0)
        }
        #expect(try await tap.run(.write(String(repeating: "D", count: 160))).summaryStatus == "C0")
    }

    /// 33 bytes and 60 of merchant custom data, then up to 177 of DSDOL: more than 255 in one
    /// command.
    @Test("Data that do not fit into GENERATE AC end the tap before it") func tooLong() async throws {
        let tap = try StorageTap { $0.cdol1 = DOL(entries: DOL.mastercardContactless.entries + [.init(0x9F7C, 60)]) }
        let run = try await tap.run(.write(String(repeating: "D", count: 146)))
        #expect(run.outcome.reason == .termination(.invalidData(0x9F5B)))
        #expect(run.tap.count(.generateAC) == 0)
        #expect(run.outcome.data == nil)
        #expect(try await tap.run(.write(String(repeating: "D", count: 145))).summaryStatus == "C0")
    }

    @Test("Without certificates there is no signature and so no storage; an AAC is then no answer")
    func withoutSignature() async throws {
        var tap = try StorageTap()
        tap.tap.terminal.caKeys = []
        let run = try await tap.run(.write("DATA"))
        #expect(run.tap.asked == 0x00)
        #expect(run.storageData == [])
        #expect(run.outcome.reason == .termination(.invalidData(.signedDynamicApplicationData)))
        tap.kernel.actionCodes = ActionCodes()
        tap.tap.request.amount = 30_00
        tap.kernel.actionCodes.online.insert(.floorLimitExceeded)
        let online = try await tap.run(.write("DATA"))
        #expect(online.tap.asked == 0x80)
        #expect(online.outcome.status == .onlineRequest)
        #expect(online.summaryStatus == "00")
    }

    @Test("Reading forces CDA where the profile does not have it") func forcesSignature() async throws {
        let tap = try StorageTap()
        let run = try await tap.run()
        #expect(run.tap.asked == 0x50)
        var without = tap
        without.tap.terminal.capabilities.remove(.cda)
        #expect(try await without.run().tap.asked == 0x50)
        without.request.operatorIdentifier = nil
        #expect(try await without.run().tap.asked != 0x50)
    }

    // MARK: Whether the slot is read

    @Test("Card and terminal must both have it") func bothSides() async throws {
        var tap = try StorageTap()
        tap.request.operatorIdentifier = [1, 2, 3]
        #expect(try await tap.run().summaryStatus == "00")
        let without = try await StorageTap(nil).run(.write("DATA"))
        #expect(without.outcome.status == .approved)
        #expect(without.summaryStatus == "00")
        #expect(without.storageData == [])
        #expect(without.reported?.contains(0x9F7D) == false)
        var storage = Storage()
        storage.version = nil
        #expect(try await StorageTap(storage).run().summaryStatus == "00")
        // A terminal without data storage.
        let plain = try StorageTap()
        let run = try await plain.tap.run(plain.card)
        #expect(run.outcome.status == .approved)
        #expect(!run.outcome.discretionaryData.contains(0xDF810B))
        #expect(run.outcome.data?.card.contains(0x9F5E) == false)
    }

    /// - Parameter removed: What the answer to GET PROCESSING OPTIONS leaves out.
    private func run(withoutInOptions removed: [TLV.Tag], slot: Bool) async throws -> StorageTap.Run {
        var tap = try StorageTap()
        if slot { _ = try await tap.run(.write("DATA")) }
        tap.tap.change = { command, answer in
            guard command.instruction == .getProcessingOptions, let objects = try? DataElements(parsing: answer.data)
            else { return answer }
            return ResponseAPDU(
                tlv(.responseTemplate2) { template in
                    for tag in objects.tags where !removed.contains(tag) { template.append(tag, objects[tag] ?? []) }
                })
        }
        return try await tap.run()
    }

    /// S3R1.12. The card signs its summaries all the same, which then mean nothing.
    @Test("A card that reports neither its slot nor which are available is not read") func incompleteReport()
        async throws
    {
        for tag: TLV.Tag in [0x9F5F, 0x9F7D, 0x9F7F] {
            #expect(try await run(withoutInOptions: [tag], slot: false).summaryStatus == "00")
        }
        for tag: TLV.Tag in [0x9F7D, 0x9F54] {
            #expect(try await run(withoutInOptions: [tag], slot: true).summaryStatus == "00")
        }
        for tag: TLV.Tag in [0x9F7F, 0x9F6F] {
            #expect(try await run(withoutInOptions: [tag], slot: true).summaryStatus == "80")
        }
    }

    @Test("Objects of wrong lengths end the tap") func lengths() async throws {
        for (tag, value) in [(0x9F5F, "C0C0"), (0x9F7D, "00112233445566"), (0x9F7F, "001122")] as [(TLV.Tag, String)] {
            var tap = try StorageTap()
            let other = try [UInt8](hex: value)
            tap.tap.change = { command, answer in
                guard command.instruction == .getProcessingOptions,
                    let objects = try? DataElements(parsing: answer.data)
                else {
                    return answer
                }
                return ResponseAPDU(
                    tlv(.responseTemplate2) { template in
                        for own in objects.tags { template.append(own, own == tag ? other : objects[own] ?? []) }
                    })
            }
            #expect(try await tap.run().outcome.reason == .termination(.invalidData(tag)))
        }
    }

    @Test(
        "A DS ID of another card ends the tap",
        arguments: ["541333008960011902", "541333008960011801", "540033008960011901"])
    func identifier(_ other: String) async throws {
        var tap = try StorageTap()
        let value = try [UInt8](hex: other)
        tap.tap.change = { $0.instruction == .select ? $1.replacing(0x9F5E, with: value) : $1 }
        let run = try await tap.run(.write("DATA"))
        #expect(run.outcome.reason == .termination(.invalidData(0x9F5E)))
        #expect(run.reported == nil)
        #expect(run.tap.count(.generateAC) == 0)
    }

    // MARK: Changed on the way

    @Test("A summary that the card does not sign: the slot is another one, and the tap ends with a record of the write")
    func changedSummary() async throws {
        var tap = try StorageTap()
        tap.tap.change = { $0.instruction == .getProcessingOptions ? $1.corrupted(0x9F7D) : $1 }
        let read = try await tap.run()
        #expect(read.outcome.status == .endApplication)
        #expect(read.outcome.reason == .dataStorageRead)
        #expect(read.error == 0x0B)
        #expect(read.outcome.data == nil)
        #expect(read.summaryStatus == "00")
        let written = try await tap.run(.write("DATA"))
        #expect(written.outcome.reason == .dataStorageRead)
        #expect(written.outcome.data?[0xDF8102] != nil)
        #expect(written.outcome.data?.terminal[0xDF8128] == [0xC0])
    }

    /// The version is not signed: a reader that takes the card's summaries for longer ones finds
    /// none that fits.
    @Test("A changed version reads nothing") func changedVersion() async throws {
        var tap = try locked()
        tap.tap.change = { command, answer in
            switch command.instruction {
            case .select: answer.replacing(0x9F5D, with: [0x12, 0x01, 0x00])
            default: answer
            }
        }
        #expect(try await tap.run(.write("DATA")).outcome.reason == .dataStorageRead)
        // Both summaries of the locked slot, which do not differ, in the place of the first.
        tap.tap.change = { command, answer in
            switch command.instruction {
            case .select: return answer.replacing(0x9F5D, with: [0x12, 0x01, 0x00])
            case .getProcessingOptions:
                guard let objects = try? DataElements(parsing: answer.data) else { return answer }
                return ResponseAPDU(
                    tlv(.responseTemplate2) { template in
                        for tag in objects.tags {
                            let value = objects[tag] ?? []
                            template.append(tag, tag == 0x9F7D ? value + value : value)
                        }
                    })
            default: return answer
            }
        }
        let run = try await tap.run(.write("DATA"))
        #expect(run.outcome.reason == .termination(.missingData(0xDF8102)))
        #expect(run.error == 0x01)
        #expect(run.outcome.data != nil)
    }

    /// A card without data storage, and someone between it and the reader who claims it.
    @Test("A claimed storage is not under the card's signature") func claimed() async throws {
        var tap = try StorageTap(nil)
        tap.tap.change = { command, answer in
            switch command.instruction {
            case .select:
                guard let objects = try? DataElements(parsing: answer.data), let name = objects[.dfName],
                    name.count < 10
                else {
                    return answer
                }
                return ResponseAPDU(
                    tlv(.fciTemplate) { template in
                        template.append(.dfName, name)
                        template.append(.fciProprietaryTemplate) { proprietary in
                            proprietary.append(.fciIssuerDiscretionaryData) { data in
                                data.append(0x9F5D, [0x11, 0x01, 0x00])
                                data.append(0x9F5E, [0x54, 0x13, 0x33, 0x00, 0x89, 0x60, 0x01, 0x19, 0x01])
                            }
                        }
                    })
            case .getProcessingOptions:
                guard let contents = Template.contents(of: answer.data, tag: .responseTemplate2) else { return answer }
                let more =
                    tlv(0x9F5F, [0xC0]) + tlv(0x9F7D, [UInt8](repeating: 7, count: 8)) + tlv(0x9F7F, [1, 2, 3, 4])
                return ResponseAPDU(tlv(.responseTemplate2, contents + more))
            default: return answer
            }
        }
        let run = try await tap.run(.write("DATA"))
        #expect(run.outcome.reason == .termination(.missingData(0xDF8101)))
        #expect(run.tap.asked == 0x50)
        #expect(run.outcome.data == nil)
        // The card declines without a signature.
        tap.kernel.actionCodes.denial = .init(rawValue: 0xFF_FFFF_FFFF)
        tap.tap.request.amount = 30_00
        #expect(try await tap.run().outcome.reason == .termination(.invalidData(.signedDynamicApplicationData)))
    }

    @Test("A damaged signature ends the tap with a record of the write") func damagedSignature() async throws {
        var tap = try StorageTap()
        tap.tap.change = { $0.instruction == .generateAC ? $1.corrupted(.signedDynamicApplicationData) : $1 }
        let run = try await tap.run(.write("DATA"))
        #expect(
            run.outcome.status == .endApplication && run.error == 0x02 && run.outcome.data?.terminal[0xDF8128] == [0xC0]
        )
        tap.tap.change = { $0.instruction == .generateAC ? ResponseAPDU(status: 0x6985) : $1 }
        let refused = try await tap.run(.write("DATA"))
        #expect(
            refused.outcome.data != nil
                && refused.outcome.discretionaryData[0xDF8115]?.prefix(5).map { $0 } == [0, 3, 0, 0x69, 0x85])
    }
}
