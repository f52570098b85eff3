import Bytes
import CardCapture
import EMVKernel
import Foundation
import Gateways
import PaymentTerminal
import Testing

/// Our clients against a gateway that was written from the vendor's documents alone
/// (`Tests/Peers/gateway.py`). What each operation came to is the table in docs/gateways.md. To
/// update it: `CARDPRESENT_WRITE_GATEWAY_TABLE=1 swift test --filter GatewayPeerTests`.
@Suite struct GatewayPeerTests {
    @Test("what works with a gateway that has no extensions is what the table in docs/gateways.md says") func table()
        async throws
    {
        var lines = ["| operation | REST | XML |", "|---|---|---|"]
        for row in Self.rows {
            var outcomes: [String] = []
            for wire in GatewayPeer.Wire.allCases { outcomes.append(try await Self.outcome(of: row, wire)) }
            lines.append("| \(row.name) | " + outcomes.joined(separator: " | ") + " |")
        }
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/gateways.md")
            .standardized
        var text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.range(of: "<!-- measured by GatewayPeerTests -->\n")).upperBound
        let end = try #require(text.range(of: "<!-- end -->", range: start..<text.endIndex)).lowerBound
        let measured = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["CARDPRESENT_WRITE_GATEWAY_TABLE"] != nil {
            text.replaceSubrange(start..<end, with: measured)
            try text.write(to: page, atomically: true, encoding: .utf8)
        } else {
            #expect(text[start..<end] == measured)
        }
    }

    /// What the table says: what the operation returned, or by what name it was refused.
    private static func outcome(of row: Row, _ wire: GatewayPeer.Wire) async throws -> String {
        let till = try PeerTill(wire)
        do {
            return try await row.perform(till)
        } catch let error as HostError {
            if error.code == .refused(.notSupported) {
                let refused = try await till.peer.ledger().refused
                #expect(refused.isEmpty, "\(row.name): refused by the client")
            }
            if case .failed = error.code { return "failed: \(error.code)" }
            return "refused: \(error.code)"
        } catch let error as TerminalError {
            return "refused: \(error.code)"
        }
    }

    @Test(
        "the peer refuses what the published description does not have",
        arguments: [
            (#""cardpresent": {"version": 1}"#, "Unrecognized property body.cardpresent"),
            (#""order": {"orderId": "o1", "currency": "EUR"}"#, "Missing required property body.order.totalAmount"),
            (
                #""order": {"orderId": "1234567890123456789012345", "currency": "EUR", "totalAmount": 1}"#,
                "body.order.orderId"
            ),
        ])
    func strictness(_ member: String, _ words: String) async throws {
        let peer = try GatewayPeer()
        let body = #"{"terminal": "6003", \#(member)}"#
        let answer = try await peer.send(
            "POST", "/merchant/api/v1/transaction/payments", body, token: "eyJhbGciOiJub25lIn0.e30.")
        #expect(answer.contains(words))
        #expect(answer.contains("debugIdentifier"))
        #expect(try await peer.ledger().transactions.isEmpty)
        #expect(
            try await peer.send("GET", "/merchant/api/v1/transaction/orders/o1", token: "eyJhbGciOiJub25lIn0.e30.")
                .contains("404"))
    }

    @Test("a wrong secret and a wrong API key are refused, and nothing is booked") func wrongKeys() async throws {
        let till = try PeerTill(.xml)
        let request = try till.request("o1", "10.00", keyed())
        let xml = try till.peer.xml(secret: SecretBytes("sandboxEUR".utf8))
        #expect(try await code { _ = try await xml.authorize(request) } == .refused(.notAuthorized))
        let rest = try till.peer.rest(apiKey: SecretBytes("bm8=".utf8))
        #expect(try await code { _ = try await rest.authorize(request) } == .refused(.notAuthorized))
        let ledger = try await till.peer.ledger()
        #expect(ledger.transactions.isEmpty)
        #expect(ledger.refused == ["INVALID HASH", "Invalid API key"])
    }

    @Test("an order that the gateway has is not booked again", arguments: GatewayPeer.Wire.allCases)
    func orderTwice(_ wire: GatewayPeer.Wire) async throws {
        let till = try PeerTill(wire)
        let request = try till.request("o1", "10.00", keyed())
        _ = try await till.host.authorize(request)
        #expect(try await code { _ = try await till.host.authorize(request) } == .refused(.orderAlreadyProcessed))
        #expect(try await till.booked("o1").amount == "10.00")
    }

    @Test(
        "the issuer's answer arrives as it was given", arguments: GatewayPeer.Wire.allCases,
        [("100.05", "05"), ("100.51", "51"), ("100.02", "02"), ("100.04", "04")])
    func responseCodes(_ wire: GatewayPeer.Wire, _ expected: (amount: String, code: String)) async throws {
        let till = try PeerTill(wire)
        #expect(
            try await till.host.authorize(till.request("o1", expected.amount, keyed())).issuer.responseCode
                == expected.code)
        #expect(try await till.booked("o1").code == expected.code)
    }

    @Test("a refund under the order id of its payment is not taken for the payment") func refundOfTheSameOrder()
        async throws
    {
        let till = try PeerTill(.rest)
        let payment = try await till.host.authorize(till.request("o1", "10.00", keyed()))
        _ = try await till.host.refund(till.referenced("r1", of: payment.uniqueReference, "4.00"))
        guard case .decided(let answer) = try await till.host.status(of: OrderID("o1")) else {
            Issue.record("the order was not found")
            return
        }
        #expect(answer.uniqueReference == payment.uniqueReference)
        #expect(answer.authorizedAmount.decimal == "10.00")
        try await till.host.advise(Advice(orderID: OrderID("o1"), result: .reversed(.requested)))
        let entries = try await till.peer.ledger().transactions
        #expect(entries.map(\.kind) == ["SALE", "REFUND"])
        #expect(entries.map(\.status) == ["REVERSAL", "READY"])
    }

    @Test("a merchant reference that is taken is reported as such", arguments: GatewayPeer.Wire.allCases)
    func takenReference(_ wire: GatewayPeer.Wire) async throws {
        let host = try PeerTill(wire).host
        _ = try await host.registerSecureCard(registration("c1"))
        #expect(
            try await code { _ = try await host.registerSecureCard(registration("c1")) } == .refused(.secureCardExists))
    }

    @Test("every published type and status of a transaction is understood") func settled() async throws {
        let till = try PeerTill(.rest)
        let reserved = try await till.host.authorize(till.request("o1", "10.00", keyed(), purpose: .preAuthorization))
        _ = try await till.host.capture(till.referenced("c1", of: reserved.uniqueReference, "12.00"))
        try await till.host.advise(
            Advice(orderID: OrderID("o2"), result: .declinedOffline(till.request("o2", "10.00", swiped()))))
        _ = try await till.host.authorize(till.request("o3", "3.00", keyed(), purpose: .refund))
        try await till.peer.settle()
        let records = try await till.host.transactions(TransactionQuery())
        #expect(records.map(\.orderID.text) == ["o3", "o2", "o1"])
        #expect(records.map(\.kind) == [.refund, .sale, .capture])
        #expect(records.map(\.state) == [.settled, .declined, .settled])
        #expect(records.last?.authorizedAmount?.decimal == "12.00")
    }
}

extension GatewayPeerTests {
    /// A row of the table.
    struct Row: Sendable {
        let name: String
        /// Returns what the table says.
        let perform: @Sendable (PeerTill) async throws -> String

        init(_ name: String, _ perform: @escaping @Sendable (PeerTill) async throws -> String) {
            self.name = name
            self.perform = perform
        }

        /// A sale that the host is asked about directly.
        ///
        /// - Parameter xml: what the table says of the XML interface if the payment is booked
        ///   there.
        static func sale(
            _ name: String, _ entry: String, xml: String = "works",
            _ card: @escaping @Sendable (PeerTill) async throws -> PaymentCard
        ) -> Row {
            Row("sale: " + name) { till in
                let response = try await till.host.authorize(till.request("o1", "10.00", try await card(till)))
                let booked = try await till.booked("o1")
                #expect(response.issuer.responseCode == "00")
                #expect(response.issuer.approvalCode == "475318")
                #expect(booked.kind == "SALE")
                #expect(booked.amount == "10.00")
                #expect(booked.status == "READY")
                #expect(booked.entry == entry)
                return till.wire == .xml ? xml : "works"
            }
        }

        /// A secure card that a terminal registers; it then pays by its token.
        static func register(
            _ name: String, _ entry: String, _ card: @escaping @Sendable (PeerTill) async throws -> CapturedCard?
        ) -> Row {
            Row("secure card: " + name) { till in
                let card = try await card(till)
                let terminal = try await till.terminal(card)
                let method: TokenMethod? = card == nil ? .keyed(try details(), cvv: nil) : nil
                let secureCard = SecureCard(merchantReference: try MerchantReference("c1"), tokenMethod: method)
                let token = try #require(try await terminal.registerSecureCard(secureCard).secureCardReference)
                let kept = try #require(try await till.peer.ledger().cards.first)
                #expect(kept.token == token.text)
                #expect(kept.reference == "c1")
                #expect(kept.entry == (till.wire == .xml ? "KEYED" : entry))
                #expect(try await terminal.processSale(till.sale("o1", .secureCard(token))).outcome == .approved)
                #expect(try await till.booked("o1").entry == "TOKEN")
                return "works"
            }
        }

        /// A payment of a terminal whose request meets a fault: what the terminal says in the end,
        /// which is what the ledger has.
        static func fault(
            _ name: String, _ fault: GatewayPeer.Fault,
            _ perform: @escaping @Sendable (Terminal, PeerTill) async throws -> PaymentResponse
        ) -> Row {
            Row(name) { till in
                let terminal = try await till.terminal()
                let response = try await perform(terminal, till)
                let entries = try await till.peer.ledger().transactions
                let standing = entries.filter { ($0.order == "o1" || $0.original != nil) && $0.status == "READY" }
                switch response.outcome {
                case .approved:
                    #expect(standing.count == 1)
                    return "approved, and booked once"
                case .unknown: return "unknown; booked: " + (standing.isEmpty ? "no" : "once")
                case .reversed:
                    #expect(standing.isEmpty)
                    return response.reversal == .performed ? "reversed" : "reversal pending; booked: no"
                case .declined, .storedOffline, .partiallyApproved: return "\(response.outcome)"
                }
            }
        }
    }

    private static let rows: [Row] = [
        .sale("keyed card", "KEYED") { _ in try keyed(cvv: "123") },
        .sale("stripe, track 2 in the clear", "SWIPED") { _ in swiped() },
        .sale("stripe, track 2 under DUKPT", "ENCRYPTED") { _ in .captured(try PeerTill.encipheredSwipe()) },
        .sale("stripe under DUKPT, because the chip failed", "ENCRYPTED", xml: "works, as any swipe") { _ in
            var card = try PeerTill.encipheredSwipe()
            card.fallbackReason = .technical
            return .captured(card)
        },
        .sale("stripe in the clear, because the chip failed", "SWIPED", xml: "works, as any swipe") { _ in
            swiped(fallback: true)
        },
        .sale("stripe with PIN", "SWIPED") { _ in
            var card = try PeerTill.clearSwipe()
            card.pin = try ChipCard.pinBlock("1234")
            return .captured(card)
        },
        .sale("chip, in the clear, as an account may take it", "INSERTED") { till in
            try await till.peer.acceptClearChips()
            return .captured(try ChipCard().captured(atc: 1))
        },
        .sale("chip, in the clear, by the description to the letter", "INSERTED") { _ in
            .captured(try ChipCard().captured(atc: 1))
        },
        .sale("chip with PIN", "INSERTED") { till in
            try await till.peer.acceptClearChips()
            return .captured(try ChipCard().captured(atc: 1, pin: ChipCard.pinBlock("1234")))
        },
        .sale("token", "TOKEN") { till in
            .token(try #require(try await till.host.registerSecureCard(registration("c1")).cardReference))
        },
        Row("sale: billing address and custom fields") { till in
            var terms = PaymentTerms(channel: .mailOrTelephone)
            terms.billingAddress = BillingAddress(street: "1 Main & Side <Street>", postalCode: "D01")
            terms.customFields = [CustomField(name: "InvoiceNumber", value: "7")]
            _ = try await till.host.authorize(till.request("o1", "10.00", keyed(), terms: terms))
            #expect(try await till.booked("o1").fields == ["InvoiceNumber": "7"])
            return "works"
        },
        Row("sale: tip") { till in
            let sale = try till.sale(
                "o1", .keyed(details(), cvv: nil), terms: PaymentTerms(tip: Money(parsing: "1.00 EUR")))
            #expect(try await till.terminal().processSale(sale).outcome == .approved)
            let booked = try await till.booked("o1")
            #expect(booked.tip == "1.00")
            #expect(booked.amount == "10.00")
            return "works"
        },
        Row("sale: partial approval, duplicate check, tip adjustment, descriptor, external ID") { till in
            let terms = PaymentTerms(
                allowsTipAdjustment: true, allowsPartialApproval: true, duplicateCheck: .required,
                descriptor: try StatementDescriptor("CORNER SHOP"), externalID: try ExternalID("till-7"))
            _ = try await till.terminal().processSale(till.sale("o1", .keyed(details(), cvv: nil), terms: terms))
            return "works"
        },
        Row("sale that registers its card") { till in
            let response = try await till.host.authorize(till.request("o1", "10.00", keyed(), registering: "c1"))
            #expect(try await till.peer.ledger().cards.map(\.token) == [response.secureCardReference?.text])
            return "works"
        },
        Row("pre-authorization and capture") { till in
            let reserved = try await till.host.authorize(
                till.request("o1", "10.00", keyed(), purpose: .preAuthorization))
            #expect(try await till.booked("o1").status == "PENDING")
            let captured = try await till.host.capture(till.referenced("c1", of: reserved.uniqueReference, "12.00"))
            #expect(captured.authorizedAmount.decimal == "12.00")
            #expect(captured.issuer.responseCode == "00")
            let booked = try await till.booked("o1")
            #expect(booked.kind == "COMPLETION")
            #expect(booked.amount == "12.00")
            return "works"
        },
        Row("refund of a payment") { till in
            let payment = try await till.host.authorize(till.request("o1", "10.00", keyed()))
            #expect(
                try await till.host.refund(till.referenced("r1", of: payment.uniqueReference, "4.00")).issuer
                    .responseCode == "00")
            let tooMuch = try till.referenced("r2", of: payment.uniqueReference, "6.01")
            #expect(try await code { _ = try await till.host.refund(tooMuch) } == .refused(.notAllowed))
            let refunds = try await till.peer.ledger().transactions.filter { $0.kind == "REFUND" }
            #expect(refunds.map(\.amount) == ["4.00"])
            return "works"
        },
        Row("refund without reference: keyed card") { till in
            _ = try await till.host.authorize(till.request("o1", "3.00", keyed(), purpose: .refund))
            let booked = try await till.booked("o1")
            #expect(booked.kind == "REFUND")
            #expect(booked.amount == "3.00")
            #expect(booked.entry == "KEYED")
            return "works"
        },
        Row("refund without reference: stripe") { till in
            _ = try await till.host.authorize(till.request("o1", "3.00", swiped(), purpose: .refund))
            #expect(try await till.booked("o1").entry == "SWIPED")
            return "works"
        },
        Row("refund without reference: token") { till in
            let token = try #require(try await till.host.registerSecureCard(registration("c1")).cardReference)
            _ = try await till.host.authorize(till.request("o1", "3.00", .token(token), purpose: .refund))
            #expect(try await till.booked("o1").entry == "TOKEN")
            return "works"
        },
        Row("account verification") { till in
            let verified = try await till.host.authorize(
                till.request("o1", "0.00", keyed(), purpose: .accountVerification))
            #expect(verified.issuer.responseCode == "00")
            #expect(try await till.booked("o1").amount == "0.00")
            return "works"
        },
        Row("advice of an offline approval") { till in
            let answer = try await till.host.authorize(
                till.request("o1", "10.00", swiped(), processing: .approvedOffline))
            #expect(answer.isAuthorized == true)
            let booked = try await till.booked("o1")
            #expect(booked.offline == "OFFLINE_APPROVAL")
            #expect(booked.status == "READY")
            return "works"
        },
        Row("advice of an offline decline") { till in
            let advice = Advice(
                orderID: OrderID("o1"), result: .declinedOffline(try till.request("o1", "10.00", swiped())))
            for _ in 1...2 { try await till.host.advise(advice) }
            let booked = try await till.booked("o1")
            #expect(booked.kind == "OFFLINE_DECLINE")
            #expect(booked.status == "DECLINED")
            return "works"
        },
        Row("payment stored offline and sent later") { till in
            // Nobody listens at port 1.
            let host: any PaymentHost = till.wire == .rest ? try till.peer.rest(1) : try till.peer.xml(1)
            let terminal = try await till.terminal(try PeerTill.clearSwipe(), host: host)
            let stored = try await terminal.processSale(till.sale("o1"))
            guard stored.outcome == .storedOffline else { return "\(stored.outcome)" }
            switch host {
            case let rest as RESTGateway: try await rest.use(till.peer.address, account: till.peer.account())
            case let xml as XMLGateway:
                try await xml.use(till.peer.address, account: till.peer.account(secret: GatewayPeer.secret))
            default: break
            }
            let outcomes = try await terminal.recoverPending().map(\.outcome)
            guard outcomes == [.approved] else { return outcomes.first.map { "refused: \($0)" } ?? "stays stored" }
            let booked = try await till.booked("o1")
            #expect(booked.offline == "DEFERRED_AUTHORIZATION")
            #expect(booked.entry == "SWIPED")
            return "works"
        },
        Row("reversal") { till in
            let terminal = try await till.terminal()
            #expect(try await terminal.processSale(till.sale("o1", .keyed(details(), cvv: nil))).outcome == .approved)
            let reversal = try await terminal.reverse(OrderID("o1"))
            #expect((reversal.reversal == .performed) == (try await till.booked("o1").status == "REVERSAL"))
            return reversal.reversal == .performed ? "works" : "stays due"
        },
        Row("status of an order") { till in
            let given = try await till.host.authorize(till.request("o1", "10.00", keyed()))
            guard case .decided(let answer) = try await till.host.status(of: OrderID("o1")) else { return "not found" }
            #expect(answer.uniqueReference == given.uniqueReference)
            #expect(answer.issuer == given.issuer)
            guard case .notSeen = try await till.host.status(of: OrderID("o2")) else {
                return "found without a payment"
            }
            return "works"
        },
        Row("list of transactions") { till in
            let sale = try await till.host.authorize(till.request("o1", "10.00", keyed()))
            _ = try await till.host.authorize(till.request("o2", "3.00", keyed(), purpose: .refund))
            #expect(try await till.host.transactions(TransactionQuery()).map(\.orderID.text) == ["o2", "o1"])
            #expect(try await till.host.transactions(TransactionQuery(kinds: [.refund])).map(\.orderID.text) == ["o2"])
            let found = try await till.host.transactions(TransactionQuery(uniqueReference: sale.uniqueReference))
            #expect(found.map(\.maskedPAN) == ["555555******4444"])
            return "works"
        },
        Row("settings") { till in
            let settings = try await till.host.settings()
            #expect(settings.merchantName == "Corner Shop")
            #expect(settings.customFields == ["InvoiceNumber"])
            return "works"
        },
        Row("approval code of a referral") { till in
            _ = try await till.host.authorize(till.request("o1", "100.02", keyed()))
            _ = try await till.host.approveReferral(of: OrderID("o1"), approvalCode: "123456")
            return "works"
        },
        .register("keyed", "KEYED") { _ in nil },
        .register("stripe in the clear, with the name of track 1", "SWIPED") { _ in
            var card = try PeerTill.clearSwipe()
            card.cardholderName = "NAMECANARY JOE"
            return card
        },
        .register("stripe in the clear, without a name", "SWIPED") { _ in try PeerTill.clearSwipe() },
        .register("stripe under DUKPT", "ENCRYPTED") { _ in try PeerTill.encipheredSwipe() },
        .register("chip in the clear, as an account may take it", "INSERTED") { till in
            try await till.peer.acceptClearChips()
            return try ChipCard(minorUnits: 0).captured(atc: 1)
        },
        Row("secure card: another card under the same token") { till in
            let token = try await till.host.registerSecureCard(registration("c1")).cardReference
            let updated = try await till.host.updateSecureCard(registration("c1", "4111111111111111"))
            #expect(updated.cardReference == token)
            #expect(try await till.peer.ledger().cards.map(\.ended) == ["1111"])
            return "works"
        },
        Row("secure card: another card from a stripe in the clear") { till in
            _ = try await till.host.registerSecureCard(registration("c1", "4111111111111111"))
            let update = SecureCardRegistration(
                merchantReference: try MerchantReference("c1"), details: SecureCard.Details(), card: swiped(),
                readerName: nil)
            _ = try await till.host.updateSecureCard(update)
            #expect(try await till.peer.ledger().cards.map(\.ended) == ["4444"])
            return "works"
        },
        Row("secure card: another card from a stripe under DUKPT") { till in
            _ = try await till.host.registerSecureCard(registration("c1", "4111111111111111"))
            let update = SecureCardRegistration(
                merchantReference: try MerchantReference("c1"), details: SecureCard.Details(),
                card: .captured(try PeerTill.encipheredSwipe()), readerName: nil)
            _ = try await till.host.updateSecureCard(update)
            return "works"
        },
        Row("secure card: the details alone") { till in
            _ = try await till.host.registerSecureCard(registration("c1"))
            var changed = SecureCard.Details()
            changed.customFields = [CustomField(name: "InvoiceNumber", value: "8")]
            if till.wire == .rest { changed.ipAddress = "192.0.2.1" }
            _ = try await till.host.updateSecureCard(
                SecureCardRegistration(
                    merchantReference: try MerchantReference("c1"), details: changed, card: nil as PaymentCard?,
                    readerName: nil))
            let cards = try await till.peer.ledger().cards
            #expect(cards.map(\.fields) == [["InvoiceNumber": "8"]])
            #expect(cards.map(\.ended) == ["4444"])
            return "works"
        },
        Row("secure card: look-up") { till in
            let registered = try await till.host.registerSecureCard(registration("c1"))
            let kept = try await till.host.retrieveSecureCard(MerchantReference("c1"))
            #expect(kept.cardReference == registered.cardReference)
            #expect(
                try await code { _ = try await till.host.retrieveSecureCard(MerchantReference("c2")) }
                    == .refused(.secureCardUnknown))
            return kept.card?.maskedPAN.isEmpty == false ? "works" : "works, without the number"
        },
        Row("secure card: deletion") { till in
            let token = try #require(try await till.host.registerSecureCard(registration("c1")).cardReference)
            try await till.host.deleteSecureCard(MerchantReference("c1"), token: token)
            #expect(try await till.peer.ledger().cards.map(\.deleted) == [true])
            #expect(
                try await code { _ = try await till.host.authorize(till.request("o1", "10.00", .token(token))) } != nil)
            return "works"
        },
        .fault("answer to a sale lost", .lost) { terminal, till in
            try await till.peer.play(.lost)
            return try await terminal.processSale(till.sale("o1", .keyed(details(), cvv: nil)))
        },
        .fault("a proxy's page in place of the answer to a sale", .latePage) { terminal, till in
            try await till.peer.play(.latePage)
            return try await terminal.processSale(till.sale("o1", .keyed(details(), cvv: nil)))
        },
        .fault("a proxy's page in place of the sale", .page) { terminal, till in
            try await till.peer.play(.page)
            return try await terminal.processSale(till.sale("o1", .keyed(details(), cvv: nil)))
        },
        .fault("sale doubled by the network", .doubled) { terminal, till in
            try await till.peer.play(.doubled)
            return try await terminal.processSale(till.sale("o1", .keyed(details(), cvv: nil)))
        },
        .fault("answer to a refund of a payment lost", .lost) { terminal, till in
            let payment = try await till.host.authorize(till.request("s1", "10.00", keyed()))
            try await till.peer.play(.lost)
            return try await terminal.processRefund(
                Refund(
                    orderID: OrderID("o1"), amount: Money(parsing: "4.00 EUR"),
                    target: .transaction(payment.uniqueReference)))
        },
        .fault("answer to a refund without reference lost", .lost) { terminal, till in
            try await till.peer.play(.lost)
            return try await terminal.processRefund(
                Refund(
                    orderID: OrderID("o1"), amount: Money(parsing: "3.00 EUR"),
                    target: .card(.keyed(details(), cvv: nil))))
        },
    ]
}
