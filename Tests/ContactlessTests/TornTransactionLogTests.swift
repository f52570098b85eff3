import Bytes
import Contactless
import EMVKernel
import TLV
import Testing

@Suite struct TornTransactionLogTests {
    private static let card = TornTransaction.Card(pan: SecretBytes("5413330089600119".utf8), sequenceNumber: [0x01])

    private func request(
        _ time: [UInt8] = [0x12, 0x00, 0x00], amount: UInt64 = 10_00, date: [UInt8] = [0x26, 0x03, 0x09]
    )
        -> TransactionRequest
    {
        TransactionRequest(amount: amount, currencyCode: 978, date: date, time: time)
    }

    private func record(_ number: UInt8, _ card: TornTransaction.Card = card, time: [UInt8] = [0x12, 0x00, 0x00])
        -> TornTransaction
    {
        TornTransaction(
            card: card, request: request(time), lifetime: 300, terminal: DataElements(), requested: .tc,
            wantsSignature: true,
            verification: nil,
            recoveryData: [number], sentOptions: [], values: [])
    }

    private func log(_ records: [TornTransaction], maximum: Int = 9) -> TornTransactionLog {
        var log = TornTransactionLog()
        for record in records { log.append(record, maximum: maximum) }
        return log
    }

    @Test("The oldest of too many leaves") func capacity() {
        #expect(log([record(1), record(2), record(3)], maximum: 2).displaced?.recoveryData == [1])
        #expect(log([record(1), record(2)], maximum: 2).displaced == nil)
        #expect(log([record(1), record(2), record(3)], maximum: 2).records.map(\.recoveryData) == [[2], [3]])
        #expect(log([record(1)], maximum: 0).records.isEmpty)
        #expect(log([record(1)], maximum: -1).records.isEmpty)
    }

    @Test func theNewestCounts() {
        var log = log([record(1), record(2)])
        #expect(log.newest(Self.card, request(), lifetime: 300)?.recoveryData == [2])
        log.remove(record(2))
        #expect(log.newest(Self.card, request(), lifetime: 300)?.recoveryData == [1])
    }

    @Test func itIsOfOneCard() {
        let log = log([record(1)])
        for other in [
            TornTransaction.Card(pan: SecretBytes("5413330089600119".utf8), sequenceNumber: nil),
            TornTransaction.Card(pan: SecretBytes("5413330089600119".utf8), sequenceNumber: [0x02]),
            TornTransaction.Card(pan: SecretBytes("5413330089600044".utf8), sequenceNumber: [0x01]),
        ] { #expect(log.newest(other, request(), lifetime: 300) == nil) }
    }

    @Test(
        "A record lives for its lifetime, across midnight and the end of a month",
        arguments: [
            ([0x12, 0x05, 0x00], [0x26, 0x03, 0x09], true), ([0x12, 0x05, 0x01], [0x26, 0x03, 0x09], false),
            ([0x11, 0x59, 0x59], [0x26, 0x03, 0x09], false), ([0x12, 0x00, 0x00], [0x26, 0x03, 0x10], false),
            ([0x12, 0x0A, 0x00], [0x26, 0x03, 0x09], false),
        ] as [([UInt8], [UInt8], Bool)])
    func itLives(_ time: [UInt8], _ date: [UInt8], _ isFound: Bool) {
        #expect((log([record(1)]).newest(Self.card, request(time, date: date), lifetime: 300) != nil) == isFound)
    }

    @Test func itIsOfOnePayment() {
        #expect(log([record(1)]).newest(Self.card, request(amount: 10_01), lifetime: 300) == nil)
        var other = request()
        other.currencyCode = 840
        #expect(log([record(1)]).newest(Self.card, other, lifetime: 300) == nil)
        other = request()
        other.kind = .refund
        #expect(log([record(1)]).newest(Self.card, other, lifetime: 300) == nil)
    }

    @Test func recordsThatAreTooOldLeave() {
        for (time, left) in [([0x12, 0x05, 0x00], 1), ([0x12, 0x05, 0x01], 0), ([0x11, 0x59, 0x59], 0)]
            as [([UInt8], Int)]
        {
            var log = log([record(1)])
            log.removeExpired(at: request(time))
            #expect(log.records.count == left)
            #expect((log.displaced == nil) == (left == 1))
            log.removeExpired(at: request(time))
            #expect(log.displaced == nil)
        }
        var log = log([record(1)])
        log.removeExpired(at: request(date: [0x26, 0x03, 0x10]))
        #expect(log.records.isEmpty)
    }

    @Test("Bytes of a log give the same records") func coded() throws {
        var terminal = DataElements()
        terminal[.amountAuthorised] = [0x00, 0x00, 0x00, 0x00, 0x10, 0x00]
        terminal[.unpredictableNumber] = [1, 2, 3, 4]
        func record(_ verification: ContactlessOutcome.Verification?, _ requested: CryptogramType, signed: Bool)
            -> TornTransaction
        {
            TornTransaction(
                card: Self.card, request: request(), lifetime: 65_535, terminal: terminal, requested: requested,
                wantsSignature: signed,
                verification: verification, recoveryData: [1, 2, 3, 4], sentOptions: [],
                values: [UInt8](repeating: 7, count: 252))
        }
        let original = log([
            record(nil, .tc, signed: true), record(ContactlessOutcome.Verification.none, .arqc, signed: false),
            record(.signature, .aac, signed: true), record(.onlinePIN, .arqc, signed: true),
            record(.consumerDevice, .tc, signed: true),
        ])
        let read = TornTransactionLog(encoded: original.encoded)
        #expect(read.hasSameRecords(as: original))
        for (read, original) in zip(read.records, original.records) {
            #expect(read.card == original.card)
            #expect(read.requested == original.requested)
            #expect(read.wantsSignature == original.wantsSignature)
            #expect(read.verification == original.verification)
            #expect(read.recoveryData == original.recoveryData)
            #expect(read.sentOptions == original.sentOptions)
            #expect(read.values == original.values)
            #expect(read.terminal.tags == original.terminal.tags)
            #expect(read.terminal[.unpredictableNumber] == [1, 2, 3, 4])
        }
        #expect(read.newest(Self.card, request([0x12, 0x05, 0x00]), lifetime: 300) != nil)
        #expect(read.newest(Self.card, request(amount: 10_01), lifetime: 300) == nil)
    }

    @Test("Bytes that are cut or changed give fewer records, or the same") func damaged() {
        let encoded = log([record(1), record(2)]).encoded.revealed()
        for count in 0..<encoded.count {
            #expect(TornTransactionLog(encoded: SecretBytes(encoded[..<count])).records.count < 2)
        }
        for index in encoded.indices {
            var changed = encoded
            changed[index] ^= 0xFF
            #expect(TornTransactionLog(encoded: SecretBytes(changed)).records.count <= 2)
        }
    }

    @Test("More records than a reader can be set to keep are not read") func tooMany() {
        let many = log((0...255).map { record(UInt8($0)) }, maximum: 300)
        let read = TornTransactionLog(encoded: many.encoded)
        #expect(read.records.count == 255)
        #expect(read.records.first?.recoveryData == [1])
        #expect(read.displaced == nil)
    }
}
