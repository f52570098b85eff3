import Bytes
import FormDocument
import JSONDocument
import PaymentTerminal
import Testing
import XMLDocument

@testable import IPG

@Suite("Answers to refunds, reversals and questions") struct AnswerTests {
    /// An answer signed by openssl, in either format.
    private func answer(_ fields: [(String, String)], _ generation: SignatureGeneration, _ format: OutputFormat) throws
        -> [UInt8]
    {
        let form = try gatewayForm(fields, generation)
        switch format {
        case .json: return JSON.object(form.all.map { JSON.Member($0.name, .text($0.value)) }).document
        case .xml: return XMLElement("IPG", children: form.all.map { XMLElement($0.name, text: $0.value) }).document
        }
    }

    /// The names in both forms that the documentation has.
    @Test("a refund and a reversal in either spelling", arguments: SignatureGeneration.allCases, OutputFormat.allCases)
    func answers(_ generation: SignatureGeneration, _ format: OutputFormat) throws {
        let refund = try IPGAnswer(
            parsing: answer(
                [
                    ("method", "IPGRefund"), ("trnref", "20250417071000123456"), ("amount", "23.45"),
                    ("currency", "978"), ("status", "0"), ("status_msg", "Success"),
                ], generation, format), to: .refund, for: account(generation))
        #expect(refund.isGood)
        #expect(refund.reference?.text == "20250417071000123456")
        #expect(refund.amount == "23.45 EUR")
        let reversal = try IPGAnswer(
            parsing: answer(
                [
                    ("IPGmethod", "IPGReversal"), ("OrderID", "1854"), ("IPGTrnref", "2"), ("IPGTrnrefOriginal", "1"),
                    ("Status", "9009"), ("StatusMsg", "Not found\u{202E}"),
                ], generation, format), to: .reversal, for: account(generation))
        #expect(!reversal.isGood)
        #expect(reversal.reference?.text == "2")
        #expect(reversal.originalReference?.text == "1")
        #expect(OperationStatus(reversal.code) == .notFound)
        #expect(reversal.message.hasPrefix("Not found"))
        #expect(!reversal.message.contains("\u{202E}"))
    }

    @Test(
        "100 is completed before 4.5; 0 with the words in 4.5",
        arguments: [
            (SignatureGeneration.urlEncoded, "0", "100", "", IPGAnswer.OrderState.completed),
            (.concatenated, "0", "100", "Transaction completed successful", .completed),
            (.urlEncoded, "0", "0", "Transaction completed successful", .unclear),
            (.sorted, "0", "0", "Transaction completed successful", .completed),
            (.sorted, "0", "0", "", .unclear), (.sorted, "0", "0", "Declined", .unclear),
            (.sorted, "0", "4001", "Waiting user input", .pending),
            (.sorted, "0", "1051", "", .failed(.insufficientFunds)),
            (.sorted, "0", "9024", "Reversed", .failed(.reversed)), (.sorted, "9009", "0", "", .failed(.notFound)),
            (.sorted, "9010", "0", "", .pending),
        ])
    func status(
        generation: SignatureGeneration, code: String, number: String, words: String,
        expected: IPGAnswer.OrderState
    ) throws {
        let name = generation == .sorted ? "IPGTrnStatus" : "IPG_TrnStatus"
        let fields = [
            ("method", "IPGGetTxnStatus"), ("status", code), ("status_msg", "Success"), ("MID", "000000000000123"),
            ("Amount", "23.45"), ("Currency", "978"), ("OrderID", "1854"), ("Approval", "123456"), ("IPG_Trnref", "1"),
            (name, number), (name + "Msg", words),
        ]
        let read = try IPGAnswer(
            parsing: answer(fields, generation, .json), to: .status, for: account(generation))
        #expect(read.state == expected)
    }

    @Test("answers of another method, merchant or key, and unsigned ones") func refuses() throws {
        let fields = [("method", "IPGRefund"), ("status", "0"), ("MID", "000000000000124")]
        let account = try account(.sorted)
        let body = try answer(fields, .sorted, .xml)
        #expect(throws: IPGMessageError.otherMerchant) { try IPGAnswer(parsing: body, to: .refund, for: account) }
        #expect(throws: IPGMessageError.unknownMessage) { try IPGAnswer(parsing: body, to: .reversal, for: account) }
        let changed = Array(String(decoding: body, as: UTF8.self).replacing(">0<", with: ">1<").utf8)
        #expect(throws: IPGMessageError.signature(.wrong)) {
            try IPGAnswer(parsing: changed, to: .refund, for: account)
        }
        for text in ["", "<", "<IPG/>", "{}", "[]", "0", "{\"method\":\"IPGRefund\",\"status\":0}", "<html>x</html>"] {
            #expect(throws: IPGMessageError.self, "\(text)") {
                try IPGAnswer(parsing: Array(text.utf8), to: .refund, for: account)
            }
        }
    }
}
