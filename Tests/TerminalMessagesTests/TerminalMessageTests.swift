import CardCapture
import Contactless
import JSONDocument
import SmartCard
import TLV
import TerminalMessages
import Testing

@testable import PaymentTerminal

@Suite("What a terminal tells") struct TerminalMessageTests {
    private static let time = Timestamp(secondsSince1970: 1_773_057_600, utcOffset: 3600)
    private static let card = CardSummary(
        maskedPAN: "476173******0119", expiry: ExpiryDate(mmyy: "1230"), cardholderName: "TEST/CARD")
    private static let signature = Signature(strokes: [[.init(x: 0, y: 0), .init(x: 300, y: 100)]])

    private static func receipt(
        _ outcome: PaymentResponse.Outcome, requiresSignature: Bool = false, signature: Signature? = nil
    ) -> Receipt {
        Receipt(
            merchantName: "Corner Shop", terminalID: "BENCH001", timestamp: time, orderID: "o-1", operation: .sale,
            amount: "10.00 EUR", requested: "12.34 EUR", tip: "1.00 EUR", serviceCharge: nil,
            taxes: [TaxLine(name: "VAT", rate: 700, amount: "0.81 EUR")], outcome: outcome, card: card,
            entryMode: .chip, approvalCode: "123456", chip: chip, requiresSignature: requiresSignature,
            signature: signature)
    }

    private static var chip: Receipt.ChipLines {
        var elements = DataElements()
        elements[.dfName] = [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]
        elements[.applicationLabel] = Array("VISA CREDIT".utf8)
        elements[.applicationPreferredName] = Array("Corner Card".utf8)
        elements[.issuerCodeTableIndex] = [0x01]
        return Receipt.ChipLines(ChipData(elements: elements))
    }

    private static func payment(
        _ outcome: PaymentResponse.Outcome = .approved, _ operation: TerminalOperation = .sale,
        reversal: PaymentResponse.Reversal = .none, entryMode: CapturedCard.EntryMode? = .chip,
        card: CardSummary? = card, fault: HostError.Fault? = nil, responseCode: String = "00"
    ) -> PaymentResponse {
        PaymentResponse(
            orderID: "o-1", operation: operation, outcome: outcome, reversal: reversal, description: "APPROVAL",
            responseCode: responseCode, approvalCode: "123456", uniqueReference: "U1", authorizedAmount: "12.34 EUR",
            checks: CardholderChecks(address: "Y", cvv: "M"), unsentFields: PaymentField.allCases, card: card,
            entryMode: entryMode, emvTags: "9F360200075A084761739001010119", verifiedPIN: true,
            secureCardReference: SecureCardReference("T1"),
            hostFault: fault, timestamp: time, boxedReceipt: Boxed(receipt(outcome, requiresSignature: true)))
    }

    private static var payments: [PaymentResponse] {
        [.approved, .partiallyApproved, .declined, .storedOffline, .unknown].map { payment($0) }
            + ReversalReason.allCases.map { payment(.reversed($0), reversal: .pending) }
            + [payment(.reversed(.requested), reversal: .performed), payment(.declined, responseCode: "51")]
            + TerminalOperation.allCases.map { payment(.approved, $0) }
            + CapturedCard.EntryMode.allCases.map { payment(entryMode: $0) }
            + HostError.Fault.allCases.map { payment(.declined, fault: $0) }
            + ["476173", "512345", "500000", "340000", "601100", "360000", "352800", "620000"].map {
                payment(card: CardSummary(maskedPAN: "\($0)******0119"))
            }
    }

    private static var errors: [TerminalError] {
        TerminalError.Code.allCases.map { TerminalError($0, "why, and the cure") }
            + TerminalError.ReaderFault.allCases.map { TerminalError(.readerNotConnected, "why", readerFault: $0) }
            + HostError.Fault.allCases.map { TerminalError(.hostFailed(.unreachable), "why", hostFault: $0) }
            + [.stripeFallback, .magneticStripe].map { TerminalError(.notPossible, "why", fallback: $0) }
    }

    private static var secureCards: [SecureCardResponse] {
        SecureCard.SecurityCheck.allCases.flatMap { check in
            CapturedCard.EntryMode.allCases.map { entryMode in
                var card = SecureCard(
                    merchantReference: try! MerchantReference("c-1"), cardReference: SecureCardReference("T1"),
                    card: Self.card, entryMode: entryMode, readerName: "Reader 1")
                card.securityCheck = check
                card.details.operatorName = "Ann"
                card.details.email = "a@example.com"
                card.details.mobileNumber = "+491"
                card.details.city = "Bonn"
                card.details.region = "NW"
                card.details.country = "DE"
                card.details.ipAddress = "::1"
                card.details.customFields = [CustomField(name: "Tier", value: "1")]
                return .saved(card)
            }
        } + [.deleted]
    }

    private static var records: [TransactionRecord] {
        TransactionRecord.State.allCases.flatMap { state in
            TransactionRecord.Kind.allCases.flatMap { kind in
                ReversalReason.allCases.map { reason in
                    var record = TransactionRecord(
                        orderID: "o-1", uniqueReference: "U1", kind: kind, state: state, amount: "12.34 EUR")
                    record.authorizedAmount = "12.34 EUR"
                    record.refundedAmount = "1.00 EUR"
                    record.timestamp = time
                    record.maskedPAN = "476173******0119"
                    record.responseCode = "00"
                    record.approvalCode = "123456"
                    record.original = "U0"
                    record.reversalReason = reason
                    return record
                }
            }
        } + [TransactionRecord(orderID: "o-2", uniqueReference: "U2", kind: .sale, state: .pending)]
    }

    private static let settings = HostSettings(
        merchantName: "Corner Shop", terminalID: "BENCH001", currencies: [.euro, .yen], customFields: ["Invoice"],
        maximumAmount: "1000.00 EUR")

    private static var questions: [TerminalMessage.Question] {
        let brand = CardSummary(maskedPAN: "512345******0119", expiry: ExpiryDate(mmyy: "1230"), cardholderName: "A")
        return [
            .signature(SignatureRequest(card: card, amount: "12.34 EUR", tip: "1.00 EUR")),
            .signatureVerification(SignatureVerification(signature: signature!, card: card)),
            .referral(ReferralRequest(card: brand, amount: "12.34 EUR", message: "CALL ISSUER")),
            .application(ApplicationRequest(names: ["VISA CREDIT", "VISA DEBIT"])),
            .reader(
                ReaderRequest(
                    readers: [ReaderRequest.Candidate.Link.usb, .serial, .bluetooth].map {
                        ReaderRequest.Candidate(
                            name: "Reader 1", link: $0, place: "/dev/ttyUSB0",
                            identity: ReaderIdentity(maker: "M", model: "N", serialNumber: "1", firmware: "2"))
                    })),
        ]
    }

    private static var events: [TerminalEvent.Content] {
        let identity = ReaderIdentity(maker: "M", model: "N", serialNumber: "1", firmware: "2")
        let readers: [ReaderInfo] = [.charging(percent: 5), .discharging(percent: 100), .unknown].map {
            ReaderInfo(name: "Reader 1", capabilities: .contactChip, identity: identity, battery: $0)
        }
        let all: [ReaderEvent.Instruction] = ReaderEvent.Instruction.allCases
        let fromReader: [ReaderEvent] =
            [
                .connected, .reconnecting, .disconnected(.closed), .disconnected(.unplugged), .disconnected(.silent),
                .disconnected(.failed(.timedOut)), .cardPresented(.contact), .cardPresented(.contactless),
                .cardRemoved(.contact), .cardRemoved(.contactless), .swiped(readable: true), .prompt(["A", "B"]),
                .userInterface(UserInterfaceRequest(.presentCard, .readyToRead)), .selectionRequired(["A"]),
                .pinProgress(digits: 3), .progress(.configuration, 0.5), .progress(.firmware, .nan),
                .progress(.firmware, 7),
                .battery(.charging(percent: 1)),
            ] + all.map { .instruction($0) } + all.map { .prompt(["A"], says: .init($0, in: .english)) }
        return TerminalEvent.Progress.allCases.map { .progress($0) }
            + readers.flatMap {
                [
                    .readerConnecting($0), .readerConnected($0), .readerDisconnected($0), .updateStarted($0),
                    .updateFinished($0, failure: nil), .updateFinished($0, failure: errors[0]),
                ]
            } + fromReader.map { .reader($0) } + [
                .connectionFailed(errors[0]), .payment(payment()), .cleared(payment()), .secureCard(secureCards[0]),
                .transactions(records), .settings(settings), .failed(errors[0]),
            ]
            + questions.map { question in
                switch question {
                case .signature(let request): .signatureRequired(request)
                case .signatureVerification(let request): .signatureToVerify(request)
                case .referral(let request): .referralRequired(request)
                case .application(let request): .applicationRequired(request)
                case .reader(let request): .readerRequired(request)
                }
            }
    }

    private static var contents: [TerminalMessage.Content] {
        let contexts = TerminalOperation.allCases.map { TerminalEvent.Context(operation: $0, requestID: "o-1") }
        var contents: [TerminalMessage.Content] = payments.map { .payment($0) } + errors.map { .error($0) }
        contents += [
            .receipt(receipt(.partiallyApproved, requiresSignature: true, signature: signature)),
            .receipt(receipt(.reversed(.requested), requiresSignature: true)),
        ]
        contents += secureCards.map { .secureCard($0) }
        contents += [
            .transactions(TransactionQuery.Page(records, unreadable: ["o-3", nil], next: "more")), .settings(settings),
            .settings(HostSettings(merchantName: "Shop", terminalID: "1")), .answered(true),
        ]
        contents += [CancelAnswer.cancelled, .cancelling, .notAllowed, .nothingToCancel].map { .cancel($0) }
        contents += questions.flatMap { question in contexts.map { .question(1, question, $0) } }
        contents += events.map { .event(TerminalEvent(operation: .sale, requestID: "o-1", content: $0)) }
        contents.append(.event(TerminalEvent(operation: nil, requestID: nil, content: .reader(.connected))))
        return contents
    }

    @Test("Every message is by the schema, and whatever the schema has is told by one") func schema() throws {
        let lines = Self.contents.map { String(decoding: TerminalMessage($0, id: nil).json.document, as: UTF8.self) }
        let answered = String(decoding: TerminalMessage(.answered(false), id: "7").json.document, as: UTF8.self)
        let complaints = try SchemaPeer.lines("messages", (lines + [answered]).joined(separator: "\n"))
        #expect(complaints == [])
        #expect(lines.count > 200)
    }

    @Test("A payment is told with its amount, its card masked, and its time") func payment() throws {
        let json = TerminalMessage(.payment(Self.payment()), id: "7").json
        #expect(json["version"]?.integer == 1)
        #expect(json["message"]?.text == "payment")
        #expect(json["id"]?.text == "7")
        #expect(json["amount"]?.text == "12.34")
        #expect(json["currency"]?.text == "EUR")
        #expect(json["time"]?.text == "2026-03-09T13:00:00+01:00")
        #expect(json["card"]?.text == "476173******0119")
        #expect(json["tags"]?["9F36"]?.text == "0007")
        #expect(!String(decoding: json.document, as: UTF8.self).contains("4761739001010119"))
        #expect(json["reversal"] == nil)
    }

    @Test("A code has one meaning") func codes() {
        let codes = TerminalError.Code.allCases.map(\.rawValue)
        #expect(Set(codes).count == codes.count)
        #expect(!codes.contains("hostFailed"), "the name of all failures of a host")
    }
}
