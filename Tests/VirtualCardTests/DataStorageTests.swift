import CardCryptography
import SmartCard
import TLV
import Testing
import VirtualCard

@Suite("The data storage of a virtual Mastercard card") struct DataStorageTests {
    private typealias Storage = MastercardContactlessProfile.DataStorage

    private func profile(_ change: (inout MastercardContactlessProfile) -> Void) -> CardProfile {
        var profile = CardProfile.mastercardStyle()
        var contactless = MastercardContactlessProfile()
        contactless.dataStorage = Storage()
        change(&contactless)
        profile.contactless = .mastercard(contactless)
        return profile
    }

    private func error(_ change: (inout MastercardContactlessProfile) -> Void) -> PersonalizationError? {
        do throws(PersonalizationError) {
            try profile(change).validate()
            return nil
        } catch {
            return error
        }
    }

    @Test("Profiles that cannot be personalised") func validation() {
        #expect(error { _ in } == nil)
        #expect(error { $0.dataStorage?.slots[0].operatorIdentifier = [1] } == .fieldLength(0x9F5C))
        #expect(error { $0.dataStorage?.slots[0].data = [UInt8](repeating: 0, count: 161) } == .fieldLength(0x9F54))
        #expect(error { $0.dataStorage?.scheme = 9 } == .fieldLength(0x9F5D))
        #expect(
            error { $0.dataStorage?.envelopes = [6: [1]] } == .fieldLength(0x9F75),
            "without a scheme there are no envelopes")
        #expect(error { $0.pdol = DOL(entries: [.init(0x9F1A, 2)]) } == .missing(0x9F5C, fromList: .pdol))
        #expect(error { $0.pdol = DOL(entries: [.init(0x9F1A, 2), .init(0x9F5C, 8)]) } == nil)
    }

    /// Byte 3 of tag 9F5D: 32, 48, 64, 96, 128, 160 and 192 bytes for all, then 64 for `9F78`
    /// alone.
    @Test(
        "The scheme is the size of the envelopes",
        arguments: [
            (1, 32, 32), (2, 48, 48), (3, 64, 64), (4, 96, 96), (5, 128, 128), (6, 160, 160), (7, 192, 192),
            (8, 32, 64),
        ]
            as [(UInt8, Int, Int)])
    func schemes(_ scheme: UInt8, _ size: Int, _ fourth: Int) {
        for (number, size) in [(UInt8(6), size), (9, fourth)] {
            for count in [size, size + 1] {
                let found = error { contactless in
                    contactless.dataStorage?.scheme = scheme
                    contactless.dataStorage?.envelopes = [number: [UInt8](repeating: 1, count: count)]
                }
                #expect((found == nil) == (count == size))
            }
        }
    }

    private func card(_ change: (inout MastercardContactlessProfile) -> Void = { _ in }) throws -> VirtualCard {
        VirtualCard(try personalizer.get().personalize(profile(change)), interface: .contactless)
    }

    @Test("Envelopes are for a transaction of a contactless card") func conditions() async throws {
        let card = try card { $0.dataStorage?.scheme = 1 }
        #expect(try await card.transmit(.getData(0x9F75)).status == .conditionsNotSatisfied)
        #expect(try await card.transmit(.putData(0x9F75, [1])).status == .conditionsNotSatisfied)
        #expect(try await card.transmit(.select([0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10])).status == .success)
        let options = tlv(.commandTemplate, [UInt8](repeating: 0, count: 8))
        let answer = try await card.transmit(.getProcessingOptions(options))
        // A terminal without data storage sends zeros, and gets nothing of it.
        let objects = try DataElements(parsing: answer.data)
        #expect(answer.status == .success)
        #expect(!objects.contains(0x9F7D))
        #expect(try await card.transmit(.getData(0x9F75)).status == .referencedDataNotFound)
        #expect(try await card.transmit(.putData(0x9F75, [1])).status == .success)
        #expect(try await card.transmit(.getData(0x9F75)).data == [0x9F, 0x75, 0x01, 0x01])
        #expect(try await card.transmit(.putData(0x9F70, [1])).status == .securityStatusNotSatisfied)
        #expect(try await card.transmit(.putData(0x9F36, [1])).status == .referencedDataNotFound)
        #expect(try await card.transmit(.putData(0x9F75, [UInt8](repeating: 1, count: 33))).status == .wrongLength)
        #expect(try await card.transmit(.getData(0x9F36)).status == .incorrectP1P2)
    }

    /// 33 bytes of CDOL1, then DSDOL with at most 160 bytes at its end.
    @Test(
        "GENERATE AC takes the data of DSDOL behind those of CDOL1, or refuses and keeps nothing",
        arguments: [16, 17, 177, 178])
    func lengths(_ count: Int) async throws {
        let card = try card()
        func begin() async throws -> DataElements {
            _ = try await card.transmit(.select([0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10]))
            let options = tlv(.commandTemplate, [1, 2, 3, 4, 5, 6, 7, 8] as [UInt8])
            return try DataElements(parsing: try await card.transmit(.getProcessingOptions(options)).data)
        }
        let before = try await begin()[0x9F7D]
        // DS ODS info is byte 17 of them: a volatile slot.
        var data = [UInt8](repeating: 0, count: 33 + count)
        if count > 16 { data[33 + 16] = 0x40 }
        let answer = try await card.transmit(.generateAC(0x50, data))
        let isTaken = (17...177).contains(count)
        #expect((answer.status == .success) == isTaken)
        let after = try await begin()
        #expect((after[0x9F7D] == before) == !isTaken)
        #expect(after.contains(0x9F54) == isTaken)
    }
}
