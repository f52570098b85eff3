import Bytes
import CardCapture
import EMVKernel
import MagneticStripe
import PaymentTerminal
import Receipts
import SmartCard
import TLV
import Testing

@Suite("Sales of the terminal") struct SaleTests {
    private func sale(_ id: String = "order-1", _ amount: String = "12.34", _ source: Sale.Source = .reader) throws
        -> Sale
    {
        Sale(orderID: try OrderID(id), amount: try euros(amount), source: source)
    }

    /// A host that can open them gets the tracks as they are; nothing more of the card is shown
    /// than the reader shows.
    @Test func encipheredTracksGoToTheHost() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: FakeReader(obedient: encipheredCard()))
        let response = try await terminal.processSale(
            Sale(orderID: OrderID("order-enciphered"), amount: euros("12.34")))
        #expect(response.outcome == .approved)
        #expect(response.card?.maskedPAN == "4111********1111")
        #expect(response.card?.expiry == ExpiryDate(yymm: "3112"))
        guard case .captured(let card) = host.seen.authorizations.first?.card else {
            Issue.record("the host was not asked")
            return
        }
        #expect(card.pan == nil)
        #expect(card.encryptedTracks?.ciphertexts[.two]?.count == 40)
    }

    @Test("G16 G36: a chip sale approved online is confirmed to the host") func approved() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
        let response = try await terminal.processSale(sale())
        #expect(response.outcome == .approved)
        #expect(host.seen.advices.isEmpty, "the confirmation is the background's: the customer does not wait for it")
        try await terminal.recoverPending()
        #expect(response.description == "APPROVAL")
        #expect(response.card?.maskedPAN == "476173******0010")
        #expect(response.uniqueReference == "U000000001")
        #expect(response.approvalCode == "123456")
        #expect(response.authorizedAmount == (try euros("12.34")))
        #expect(response.entryMode == .chip)
        #expect(response.secureCardReference == nil, "G30")
        #expect(response.responseCode == "00")
        #expect(!response.didPerformReversal)
        guard case .finished(let chipData, nil) = try #require(host.seen.advices.first).result else {
            Issue.record("the advice is not a confirmation")
            return
        }
        #expect(try DataElements(parsing: chipData)[.applicationCryptogram] == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test("G29 G30: the token of a card registered along comes with the answer") func withSecureCard() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: FakeReader(obedient: stripeCard()))
        var sale = try sale()
        sale.secureCard = SecureCard(merchantReference: try MerchantReference("customer-7"))
        #expect(try await terminal.processSale(sale).secureCardReference == FakeHost.token)
        #expect(host.seen.authorizations[0].secureCard?.entryMode == .magneticStripe)
    }

    @Test("a decline is an answer without approval code") func declined() async throws {
        let host = FakeHost(responseCode: "51", message: "INSUFFICIENT FUNDS 4111111111111111")
        let response = try await terminal(host, reader: FakeReader(obedient: stripeCard())).processSale(sale())
        #expect(response.outcome == .declined)
        #expect(response.description == "INSUFFICIENT FUNDS 411111******1111", "words from elsewhere are masked")
        #expect(response.responseCode == "51")
        #expect(response.approvalCode == nil)
        #expect(response.authorizedAmount == nil)
        #expect(host.seen.advices.isEmpty, "a stripe has no last word")
    }

    @Test("A56: the host approved and the card declined: reversed") func cardDeclines() async throws {
        let host = FakeHost()
        let reader = FakeReader(chipCard()) { _ throws(CaptureError) in
            CaptureOutcome(decision: .declinedOnline, card: chipCard(), requiresReversal: true)
        }
        let response = try await terminal(host, reader: reader).processSale(sale())
        #expect(response.outcome == .reversed(.cardDeclined))
        #expect(response.didPerformReversal)
        #expect(response.approvalCode == nil)
        #expect(response.authorizedAmount == nil)
        guard case .reversed(.cardDeclined) = host.seen.advices.first?.result else {
            Issue.record("no reversal")
            return
        }
    }

    @Test("A56: the host is silent and the card declines: reversed when the host is back") func silentHost()
        async throws
    {
        let host = FakeHost(failing: HostError(.noAnswer, "no answer in 30 s"))
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
        let response = try await terminal.processSale(sale())
        #expect(response.outcome == .unknown, "the host may have charged the card")
        #expect(response.reversal == .pending)
        #expect(await terminal.pendingPayments.map(\.orderID.text) == ["order-1"])
        host.failAdvices(with: nil)
        _ = try await terminal.processSale(sale("order-2"))
        try await terminal.recoverPending()
        #expect(Set(host.seen.advices.map(\.orderID.text)) == ["order-1", "order-2"])
        #expect(await terminal.pendingPayments.isEmpty)
    }

    @Test("the card approves offline: the host gets an advice") func offline() async throws {
        let host = FakeHost { request throws(HostError) in
            guard request.processing == .approvedOffline else { throw HostError(.unreachable, "no network") }
            return AuthorizationResponse(
                uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "Y1"),
                authorizedAmount: request.amount,
                message: "RECORDED",
                isAuthorized: true)
        }
        let reader = FakeReader(chipCard()) { _ throws(CaptureError) in
            CaptureOutcome(decision: .approvedOffline, card: chipCard(), requiresSignature: true)
        }
        let terminal = try await terminal(host, reader: reader)
        #expect(try await terminal.processSale(sale()).outcome == .storedOffline)
        let response = try #require(try await terminal.recoverPending().first)
        #expect(response.outcome == .approved)
        #expect(response.authorizedAmount == (try euros("12.34")))
        #expect(response.receipt.requiresSignature)
        let request = try #require(host.seen.authorizations.last)
        #expect(request.processing == .approvedOffline)
        #expect(request.chipData?.isEmpty == false)
    }

    @Test("A60: a card removed after the host approved: reversed") func cardRemoved() async throws {
        let host = FakeHost()
        let reader = FakeReader(chipCard()) { _ throws(CaptureError) in throw .cardRemoved }
        let terminal = try await terminal(host, reader: reader)
        let response = try await terminal.processSale(sale())
        #expect(response.outcome == .reversed(.terminalTerminated))
        #expect(response.didPerformReversal)
        guard case .reversed(.terminalTerminated) = host.seen.advices.first?.result else {
            Issue.record("no reversal")
            return
        }
    }

    @Test("I7: an order that the host knows, and does not list, is unknown, and is not reversed") func duplicateOrder()
        async throws
    {
        let host = FakeHost(failing: HostError(.orderAlreadyProcessed, "Order Already Processed"))
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader) { $0.limits.transit = .zero }
        let response = try await terminal.processSale(sale())
        #expect(response.outcome == .unknown)
        #expect(response.reversal == .none)
        #expect(host.seen.advices.isEmpty)
        #expect(await terminal.pendingPayments.isEmpty)
    }

    @Test("A request that came twice is answered as already processed: the host's decision on it is taken")
    func doubledRequest()
        async throws
    {
        let host = FakeHost(failing: HostError(.orderAlreadyProcessed, "Order Already Processed"))
        let amount = try euros("12.34")
        host.play { script in
            var record = TransactionRecord(
                orderID: OrderID("order-1"), uniqueReference: "U000000001", kind: .sale, state: .approved,
                amount: amount)
            record.timestamp = noon
            record.maskedPAN = "476173******0010"
            script.transactions = [record]
            script.status = { _ in
                .decided(
                    AuthorizationResponse(
                        uniqueReference: "U000000001",
                        issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
                        authorizedAmount: amount, message: "APPROVAL"))
            }
        }
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
        let response = try await terminal.processSale(sale())
        #expect(response.outcome == .approved)
        #expect(response.uniqueReference == "U000000001")
    }

    @Test("A host that fails may have taken the payment before: it is asked, and what it cannot say is undone")
    func failedAfterwards() async throws {
        let host = FakeHost(failing: HostError(.internalError, "the host cannot do its work"))
        let amount = try euros("12.34")
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
        host.play { script in
            script.status = { _ in
                .decided(
                    AuthorizationResponse(
                        uniqueReference: "U000000001",
                        issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
                        authorizedAmount: amount, message: "APPROVAL"))
            }
        }
        #expect(try await terminal.processSale(sale()).outcome == .approved)
        host.play { script in script.status = { _ in .notSeen } }
        let other = try await terminal.processSale(Sale(orderID: OrderID("order-2"), amount: amount))
        #expect(other.outcome == .reversed(.noHostAnswer) || other.outcome == .unknown)
        #expect(host.seen.advices.map(\.orderID.text).last == "order-2")
    }

    @Test(
        "A transaction of the host's with another amount, card or time is not this order",
        arguments: [
            ("12.35", "476173******0010", 0, PaymentResponse.Outcome.declined),
            ("12.34", "476173******0011", 0, .declined),
            ("12.34", "476173******0010", -86_400, .unknown),
        ])
    func foreignOrder(_ decimal: String, _ pan: String, _ distance: Int64, ends outcome: PaymentResponse.Outcome)
        async throws
    {
        let host = FakeHost(failing: HostError(.orderAlreadyProcessed, "Order Already Processed"))
        let amount = try euros(decimal)
        host.play { script in
            var record = TransactionRecord(
                orderID: OrderID("order-1"), uniqueReference: "U000000001", kind: .sale, state: .approved,
                amount: amount)
            record.timestamp = Timestamp(secondsSince1970: noon.secondsSince1970 + distance)
            record.maskedPAN = pan
            script.transactions = [record]
        }
        let response = try await terminal(host, reader: FakeReader(obedient: chipCard())).processSale(sale())
        #expect(response.outcome == outcome)
        #expect(response.reversal == .none)
        #expect(host.seen.advices.isEmpty)
    }

    @Test(
        "What ended the transaction reaches the integrator as it is",
        arguments: [Termination.cardBlocked, .emptyCandidateList])
    func notPossible(_ termination: Termination) async throws {
        let reader = FakeReader(chipCard(), asksHost: false) { _ throws(CaptureError) in
            CaptureOutcome(decision: .notPossible(.kernel(termination)), card: nil)
        }
        let terminal = try await terminal(FakeHost(), reader: reader)
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale()) }
        #expect(error?.code == .notPossible)
        #expect(error?.obstacle == .kernel(termination))
        #expect(error?.message == termination.description)
        #expect(error?.fallbackEntryMode == nil)
    }

    @Test(
        "a chip that could not be used leaves the stripe, and says how it counts",
        arguments: [Fallback.Reason.technical, .emptyCandidateList])
    func fallback(_ reason: Fallback.Reason) async throws {
        let reader = FakeReader(chipCard(), asksHost: false) { _ throws(CaptureError) in
            CaptureOutcome(
                decision: .notPossible(.kernel(.channel(.timedOut))), card: nil,
                fallback: Fallback(reason, entryMode: .stripeAfterChip))
        }
        let terminal = try await terminal(FakeHost(), reader: reader)
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale()) }
        #expect(error?.code == .notPossible)
        #expect(error?.fallbackEntryMode == .stripeFallback)
    }

    @Test("a card number in the words of a reader or a host is masked in the error") func maskedErrors() async throws {
        let reader = FakeReader(chipCard(), asksHost: false) { _ throws(CaptureError) in
            throw .readerFailed(.recorded("card 4761739001010010 stuck"))
        }
        let host = FakeHost(failing: HostError(.cardRefused, "no 5555555555554444 here"))
        let atReader = try await terminal(host, reader: reader)
        let error = await #expect(throws: TerminalError.self) { try await atReader.processSale(sale()) }
        #expect(error?.message == "card 476173******0010 stuck")
        #expect(error?.code == .cardNotRead)
        let atHost = try await terminal(host)
        let refused = await #expect(throws: TerminalError.self) {
            try await atHost.processSale(sale("o", "1.00", .keyed(keyedCard(), cvv: nil)))
        }
        #expect(refused?.message == "no 555555******4444 here")
    }

    @Test("a sale without reader names the cure") func noReader() async throws {
        let terminal = try await terminal(FakeHost())
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale()) }
        #expect(error?.code == .readerNotConnected)
    }

    @Test("a token pays without a reader, and in spite of one") func token() async throws {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader)
        let response = try await terminal.processSale(sale("order-1", "1.00", .secureCard(FakeHost.token)))
        #expect(response.outcome == .approved)
        #expect(response.entryMode == nil)
        #expect(reader.requests.isEmpty)
        guard case .token(FakeHost.token) = host.seen.authorizations[0].card else {
            Issue.record("no token")
            return
        }
    }

    @Test("an answer that never came is unknown, until the reversal is through") func unknown() async throws {
        let host = FakeHost(failing: HostError(.noAnswer, "no answer in 30 s"))
        let terminal = try await terminal(host)
        let keyed = Sale.Source.keyed(try keyedCard(), cvv: nil)
        let reversed = try await terminal.processSale(sale("order-1", "1.00", keyed))
        #expect(reversed.outcome == .reversed(.noHostAnswer))
        #expect(reversed.reversal == .performed)
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let open = try await terminal.processSale(sale("order-2", "1.00", keyed))
        #expect(open.outcome == .unknown)
        #expect(open.reversal == .pending)
        #expect(open.receipt.text(for: .merchant).contains("OUTCOME NOT KNOWN"))
    }

    @Test("a host out of reach charges nothing") func unreachable() async throws {
        let host = FakeHost(failing: HostError(.unreachable, "no network: check the cable"))
        let terminal = try await terminal(host)
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(sale("order-1", "1.00", .secureCard(FakeHost.token)))
        }
        #expect(error?.description == "no network: check the cable")
        #expect(host.seen.advices.isEmpty)
    }

    @Test("E2 A10: the amount is positive, of at most 12 digits, and in the terminal's currency") func amounts()
        async throws
    {
        let terminal = try await terminal(FakeHost(), reader: FakeReader(obedient: chipCard()))
        for text in ["0.00 EUR", "10000000000.00 EUR", "1.00 USD"] {
            let sale = Sale(orderID: OrderID("o"), amount: try Money(parsing: text))
            let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale) }
            #expect(error?.code == .invalidAmount)
        }
    }

    @Test("E18: one operation at a time") func busy() async throws {
        let (asked, hostIsAsked) = AsyncStream.makeStream(of: Void.self)
        let (release, releaseHost) = AsyncStream.makeStream(of: Void.self)
        let host = FakeHost { request throws(HostError) in
            hostIsAsked.finish()
            for await _ in release {}
            return AuthorizationResponse(
                uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "00"),
                authorizedAmount: request.amount,
                message: "APPROVAL")
        }
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
        let first = Task { [sale = try sale()] in try await terminal.processSale(sale) }
        for await _ in asked {}
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.retrieveSecureCard(MerchantReference("c"))
        }
        #expect(error?.code == .busy)
        await #expect(throws: TerminalError.self) { try await terminal.disconnect() }
        releaseHost.finish()
        #expect(try await first.value.outcome == .approved)
        try await terminal.disconnect()
    }
}
