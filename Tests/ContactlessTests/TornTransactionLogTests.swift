import Contactless
import EMVKernel
import TLV
import Testing

@Suite struct TornTransactionLogTests {
    private static let card = TornTransaction.Card(pan: Array("5413330089600119".utf8), sequenceNumber: [0x01])

    private func request(_ time: [UInt8] = [0x12, 0x00, 0x00], amount: UInt64 = 10_00, date: [UInt8] = [0x26, 0x03, 0x09])
        -> TransactionRequest
    {
        TransactionRequest(amount: amount, currencyCode: 978, date: date, time: time)
    }

    private func record(_ number: UInt8, _ card: TornTransaction.Card = card, time: [UInt8] = [0x12, 0x00, 0x00]) -> TornTransaction {
        TornTransaction(
            card: card, request: request(time), terminal: DataElements(), requested: .tc, wantsSignature: true, verification: nil,
            recoveryData: [number], sentOptions: [], values: [])
    }

    private func log(_ records: [TornTransaction], maximum: Int = 9) -> TornTransactionLog {
        var log = TornTransactionLog()
        for record in records { log.append(record, maximum: maximum) }
        return log
    }

    @Test("The oldest of too many leaves") func capacity() {
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
            TornTransaction.Card(pan: Array("5413330089600119".utf8), sequenceNumber: nil),
            TornTransaction.Card(pan: Array("5413330089600119".utf8), sequenceNumber: [0x02]),
            TornTransaction.Card(pan: Array("5413330089600044".utf8), sequenceNumber: [0x01]),
        ] { #expect(log.newest(other, request(), lifetime: 300) == nil) }
    }

    @Test(
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
}
