import Foundation
import JSONDocument
import PeerPrograms
import SeededNumbers
import Testing

@testable import Basket
@testable import PaymentTerminal

/// What baskets come to, against Python's exact fractions (`Tests/Peers/basket.py`), which reads the
/// baskets' JSON documents.
@Suite("Baskets come to what an independent program computes") struct BasketPeerTests {
    private struct Answer: Decodable {
        var total: Int64, goods: Int64, serviceCharge: Int64?, tip: Int64?, rates: [[Int64]]
    }

    private enum Verdict: Decodable {
        case totals(Answer)
        case fault(String)

        init(from decoder: any Decoder) throws {
            if let fault = try? decoder.singleValueContainer().decode(String.self) {
                self = .fault(fault)
            } else {
                self = .totals(try Answer(from: decoder))
            }
        }
    }

    private static func verdicts(on baskets: [Basket]) throws -> [Verdict] {
        let file = FileManager.default.temporaryDirectory.appending(path: "baskets-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(baskets.map { $0.json.document }.joined(separator: Array("\n".utf8))).write(to: file)
        let printed = try PeerProgram.python(file: "basket.py", [file.path])
        return try JSONDecoder().decode([Verdict].self, from: Data(printed.utf8))
    }

    @Test("Five thousand random baskets, gross and net, in currencies with 0, 2 and 3 decimals") func random() throws {
        var numbers = SplitMix(seed: 16931)
        let baskets = try (0..<5000).map { _ in try Basket(random: &numbers) }
        let verdicts = try Self.verdicts(on: baskets)
        try #require(verdicts.count == baskets.count)
        var charged = 0
        for (number, (basket, verdict)) in zip(baskets, verdicts).enumerated() {
            switch (verdict, Result { () throws(BasketError) in try basket.totals() }) {
            case (.fault(let name), .failure(let error)):
                #expect("\(error)" == "\(BasketError.named(name))", "basket \(number)")
            case (.totals(let answer), .success(let totals)):
                charged += 1
                #expect(totals.total.minorUnits == answer.total, "basket \(number)")
                #expect(totals.goods.minorUnits == answer.goods, "basket \(number)")
                #expect(totals.serviceCharge?.minorUnits == answer.serviceCharge, "basket \(number)")
                #expect(totals.tip?.minorUnits == answer.tip, "basket \(number)")
                #expect(
                    totals.rates.map { [Int64($0.tax.hundredths), $0.net.minorUnits, $0.amount.minorUnits] }
                        == answer.rates, "basket \(number)")
                Self.expectSums(of: totals)
                // The terminal takes the sale: its parts fit into its amount.
                let sale = try basket.sale(orderID: "sale-17")
                #expect(throws: Never.self) { try sale.terms.checkParts(of: sale.amount) }
            default: Issue.record("basket \(number): \(verdict)")
            }
        }
        #expect(charged > 3000)
    }

    private static func expectSums(of totals: BasketTotals) {
        let kinds = [totals.goods, totals.serviceCharge, totals.tip].compactMap { $0?.minorUnits }
        #expect(kinds.reduce(0, +) == totals.total.minorUnits)
        let rates = totals.rates.flatMap { [$0.net.minorUnits, $0.amount.minorUnits] }
        #expect(rates.reduce(totals.untaxed.minorUnits, +) == totals.total.minorUnits)
        #expect((rates + kinds).allSatisfy { $0 >= 0 })
    }

    @Test("A basket read from its document is the same basket") func documents() throws {
        var numbers = SplitMix(seed: 8259)
        for _ in 0..<500 {
            let basket = try Basket(random: &numbers)
            let read = try Basket(parsing: basket.json.document)
            #expect(read == basket)
        }
    }
}

extension BasketPeerTests {
    @Test("A thousand damaged documents are refused, or read as what they say") func damaged() throws {
        var numbers = SplitMix(seed: 1005)
        var taken = 0
        for _ in 0..<1000 {
            var document = try Basket(random: &numbers).json.document
            for _ in 0...Int.random(in: 0...2, using: &numbers) {
                let place = document.indices.randomElement(using: &numbers)!
                switch Int.random(in: 0...2, using: &numbers) {
                case 0: document[place] = Array("0123456789-.eE\"{}[],:".utf8).randomElement(using: &numbers)!
                case 1: document.remove(at: place)
                default: document.insert(UInt8.random(in: 0x30...0x39, using: &numbers), at: place)
                }
            }
            guard let basket = try? Basket(parsing: document) else { continue }
            taken += 1
            let again = try Basket(parsing: basket.json.document)
            #expect(again == basket)
            _ = try? basket.totals()
        }
        #expect((20...980).contains(taken))
    }
}

extension BasketError {
    fileprivate static func named(_ name: String) -> BasketError {
        switch name {
        case "empty": .empty
        case "discountAboveItems": .discountAboveItems
        case "tooLarge": .tooLarge
        case "nothingToCharge": .nothingToCharge
        default: .nothingBesideExtras
        }
    }
}

extension Basket {
    /// Up to 12 items; small prices mostly, so that halves are met, and now and then huge ones.
    fileprivate init(random numbers: inout SplitMix) throws {
        let currency = [Currency.euro, .yen, Currency(code: "KWD")!].randomElement(using: &numbers)!
        let rates = [0, 1, 250, 550, 700, 1000, 1900, 2550, 5000, 9999].shuffled(using: &numbers)
            .prefix(Int.random(in: 0...4, using: &numbers))
        try self.init(
            currency: currency, prices: Bool.random(using: &numbers) ? .gross : .net,
            taxes: rates.map { try TaxRate("VAT", hundredths: $0) })
        for number in 0..<Int.random(in: 0...12, using: &numbers) {
            let kind: BasketItem.Kind =
                switch Int.random(in: 0...9, using: &numbers) {
                case 0: .tip
                case 1: .serviceCharge
                default: .normal
                }
            let prices: ClosedRange<Int64> =
                Int.random(in: 0...40, using: &numbers) == 0 ? 0...Self.maximumPrice : 0...300
            try add(
                BasketItem(
                    "Item \(number), Käse", kind: kind, quantity: Int.random(in: 1...9, using: &numbers),
                    price: .random(in: prices, using: &numbers), taxRate: (rates + [0]).randomElement(using: &numbers)!)
            )
        }
        if Bool.random(using: &numbers) { try setDiscount(.random(in: 0...900, using: &numbers)) }
        if Bool.random(using: &numbers) { place = GeographicPoint(latitude: -33_868_820, longitude: 151_209_290) }
        if Bool.random(using: &numbers) { try setNote("Table 7") }
    }
}
