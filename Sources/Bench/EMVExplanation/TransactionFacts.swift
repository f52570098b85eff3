import Bytes
import EMVReplay
import SmartCard
import TLV

/// The rows of basic facts.
struct TransactionFacts {
    let rows: [Explanation.Fact]

    init(_ transaction: LoggedTransaction, isRedacted: Bool) {
        var rows: [Explanation.Fact] = []
        let context = transaction.context
        func add(_ name: String, _ tag: Tag, _ value: [UInt8]?) {
            guard let value, !value.isEmpty else { return }
            let field = DataField(tag, value, isRedacted: isRedacted, context: context)
            rows.append(Explanation.Fact(name, field.value ?? "", meanings: field.meanings))
        }
        if !transaction.cardName.isEmpty { rows.append(Explanation.Fact("Card", transaction.cardName)) }
        add("Application", .dfName, transaction.aid)
        switch transaction.interface {
        case .contactless:
            let kernel = transaction.kernel.map { ", kernel \($0)" } ?? ""
            let mode = transaction.isVisaMagstripe ? ", mag-stripe mode (MSD)" : ""
            rows.append(Explanation.Fact("Interface", "contactless" + kernel + mode))
        case .contact: rows.append(Explanation.Fact("Interface", "contact"))
        case nil: break
        }
        add("PAN", .applicationPAN, transaction.card[.applicationPAN])
        for (name, tag) in [
            ("Amount", Tag.amountAuthorised), ("of it other", .amountOther), ("Currency", .transactionCurrencyCode),
            ("Type", .transactionType),
            ("Date", .transactionDate), ("Terminal country", .terminalCountryCode), ("Terminal type", .terminalType),
        ] {
            let value = transaction.sent(tag)
            if tag == .amountOther && value?.allSatisfy({ $0 == 0 }) ?? true { continue }
            add(name, tag, value)
        }
        add("AIP", .applicationInterchangeProfile, transaction.card[.applicationInterchangeProfile])
        let (first, second) = (transaction.first, transaction.second)
        add("TVR", .terminalVerificationResults, first?.sent?[.terminalVerificationResults])
        let last = second?.sent?[.terminalVerificationResults]
        if last != first?.sent?[.terminalVerificationResults] {
            add("TVR at the end", .terminalVerificationResults, last)
        }
        add("TSI", .transactionStatusInformation, transaction.sent(.transactionStatusInformation))
        add("CVM results", .cvmResults, transaction.sent(.cvmResults))
        for (name, cryptogram) in [("First cryptogram", first), ("Second cryptogram", second)] {
            guard let answer = cryptogram?.answer else { continue }
            let type = answer.information.type?.name ?? "reserved type"
            let value = answer.value.map { " \($0.hex)" } ?? ", signed by the card"
            let asked = cryptogram?.requested.map { ["asked for \($0.summary)"] } ?? []
            rows.append(Explanation.Fact(name, type + value, meanings: asked))
        }
        add("ATC", .applicationTransactionCounter, (second ?? first)?.answer?.counter ?? nil)
        rows += Self.issuerData((second ?? first)?.answer?.issuerApplicationData ?? [], context)
        add("Issuer's answer", .authorisationResponseCode, second?.sent?[.authorisationResponseCode])
        self.rows = rows
    }

    /// The coding of the data, and their information about the card's own checks.
    private static func issuerData(_ value: [UInt8], _ context: ValueContext) -> [Explanation.Fact] {
        guard !value.isEmpty else { return [] }
        guard let data = IssuerApplicationData(value, rid: context.rid) else {
            return [Explanation.Fact("Issuer application data", value.hex)]
        }
        let results = data.fields.first { $0.name.hasPrefix("Card verification results (") }
        return [Explanation.Fact("Issuer application data", value.hex, meanings: [data.format])]
            + (results.map { [Explanation.Fact("Card verification results", $0.bytes.hex, meanings: $0.meanings)] }
                ?? [])
    }
}
