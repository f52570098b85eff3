import CardCapture
import PaymentDoubles
import PaymentTerminal
import Synchronization
import Testing

/// Writes down what it is called with.
private final class Recorder: TerminalListener {
    private let log = Mutex<[String]>([])
    private let signs: Signature?
    private let isGenuine: Bool?

    init(signs: Signature? = nil, isGenuine: Bool? = nil) {
        self.signs = signs
        self.isGenuine = isGenuine
    }

    var lines: [String] { log.withLock { $0 } }

    private func note(_ line: String, _ context: TerminalEvent.Context? = nil) {
        let origin = context.map { " [\($0.operation?.rawValue ?? "-") \($0.requestID ?? "-")]" } ?? ""
        log.withLock { $0.append(line + origin) }
    }

    func onMessage(_ message: String, _ context: TerminalEvent.Context) async { note("message \(message)", context) }
    func onSaleResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async {
        note("sale \(response.outcome)", context)
    }
    func onRefundResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async {
        note("refund \(response.outcome)", context)
    }
    func onSecureCardResponse(_ response: SecureCardResponse, _ context: TerminalEvent.Context) async {
        note("card \(response.description)", context)
    }
    func onTransactionListResponse(_ transactions: [TransactionRecord], _ context: TerminalEvent.Context) async {
        note("transactions \(transactions.count)", context)
    }
    func onSettingsRetrieved(_ settings: HostSettings, _ context: TerminalEvent.Context) async {
        note("settings", context)
    }
    func onReversalRetrieved(_ response: PaymentResponse, _ context: TerminalEvent.Context) async {
        note("reversal \(response.outcome)", context)
    }
    func onSignatureRequired(_ request: SignatureRequest, _ context: TerminalEvent.Context) async {
        let tip = request.tip.map { ", tip \($0)" } ?? ""
        note("sign \(request.amount)\(tip), \(request.card?.cardholderName ?? "-")", context)
        if let signs { request.submit(signs) } else { request.decline() }
    }
    func onSignatureVerification(_ request: SignatureVerification, _ context: TerminalEvent.Context) async {
        if let isGenuine { request.answer(isGenuine) }
    }
    func onError(_ error: TerminalError, _ context: TerminalEvent.Context) async {
        note("error \(error.code)", context)
    }
    func onDeviceConnected(_ device: ReaderInfo) async { note("connected \(device.name)") }
    func onDeviceDisconnected(_ device: ReaderInfo) async { note("disconnected \(device.name)") }
    func onDeviceError(_ message: String) async { note("device: \(message)") }
    func onDeviceEvent(_ event: ReaderEvent, _ context: TerminalEvent.Context) async { note("device event") }
}

/// Answers every question, and remembers which callbacks it got.
private final class AnsweringListener: TerminalListener {
    private let seen = Mutex<(called: Set<String>, instructions: [ReaderEvent.Instruction])>(([], []))
    private let signature: Signature

    init(_ signature: Signature) { self.signature = signature }

    var called: Set<String> { seen.withLock { $0.called } }
    var instructions: [ReaderEvent.Instruction] { seen.withLock { $0.instructions } }

    private func note(_ function: String = #function) {
        let name = String(function.prefix { $0 != "(" })
        seen.withLock { _ = $0.called.insert(name) }
    }

    func onMessage(_ message: String, _ context: TerminalEvent.Context) async { note() }
    func onSaleResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async { note() }
    func onRefundResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async { note() }
    func onSecureCardResponse(_ response: SecureCardResponse, _ context: TerminalEvent.Context) async { note() }
    func onTransactionListResponse(_ transactions: [TransactionRecord], _ context: TerminalEvent.Context) async {
        note()
    }
    func onSettingsRetrieved(_ settings: HostSettings, _ context: TerminalEvent.Context) async { note() }
    func onReversalRetrieved(_ response: PaymentResponse, _ context: TerminalEvent.Context) async { note() }
    func onSignatureRequired(_ request: SignatureRequest, _ context: TerminalEvent.Context) async {
        note()
        request.submit(signature)
    }
    func onSignatureVerification(_ request: SignatureVerification, _ context: TerminalEvent.Context) async {
        note()
        request.answer(true)
    }
    func onReferral(_ request: ReferralRequest, _ context: TerminalEvent.Context) async {
        note()
        request.submit(approvalCode: "471100")
    }
    func onSelectApplication(_ request: ApplicationRequest, _ context: TerminalEvent.Context) async {
        note()
        request.choose(1)
    }
    func onError(_ error: TerminalError, _ context: TerminalEvent.Context) async { note() }
    func onSelectReader(_ request: ReaderRequest) async {
        note()
        request.choose(1)
    }
    func onDeviceConnecting(_ device: ReaderInfo) async { note() }
    func onDeviceConnectionError(_ error: TerminalError) async { note() }
    func onDeviceConnected(_ device: ReaderInfo) async { note() }
    func onDeviceDisconnected(_ device: ReaderInfo) async { note() }
    func onDeviceError(_ message: String) async { note() }
    func onDeviceEvent(_ event: ReaderEvent, _ context: TerminalEvent.Context) async {
        note()
        if case .instruction(let instruction) = event { seen.withLock { $0.instructions.append(instruction) } }
    }
    func onAutoConfigProgressUpdate(_ progress: Double) async { note() }
}

/// A slot for stripes that nobody uses.
private struct SilentStripe: MagstripeSlot {
    let name = "Stripe"
    let capabilities: ReaderCapabilities = .magneticStripe
    let events = ReaderEvents()

    func swipe() async throws(CaptureError) -> CapturedSwipe {
        // Ends when the task is cancelled.
        for await _ in AsyncStream.makeStream(of: Void.self).stream {}
        throw .cancelled
    }
}

@Suite("Events of the terminal") struct EventTests {
    /// Waits until the recorder has so many lines; the test's time limit ends a wait for what never
    /// comes.
    private func lines(_ recorder: Recorder, _ count: Int) async throws -> [String] {
        while recorder.lines.count < count { try await Task.sleep(for: .milliseconds(2)) }
        return recorder.lines
    }

    @Test(
        "what a reader sent before comes before the terminal's own event, at a reader of several interfaces too",
        .timeLimit(.minutes(20)), arguments: [1, 2])
    func orderOfEvents(_ interfaces: Int) async throws {
        let reader = PatientReader()
        let terminal = try await terminal(FakeHost())
        try await terminal.connect(
            interfaces == 1 ? reader : MultiInterfaceReader(chip: reader, stripe: SilentStripe()))
        let events = terminal.eventStream(of: [.progress])
        let sale = Sale(orderID: "order-1", amount: try euros("10.00"))
        let payment = Task { try await terminal.processSale(sale) }
        for await _ in reader.isWaiting.stream { break }
        // In one go of the terminal's actor, so that nothing of the terminal runs in between.
        func sendAndCancel(_ terminal: isolated Terminal) async {
            for _ in 1...3 { reader.events.send(.instruction(.removeCard)) }
            _ = await terminal.cancel()
        }
        await sendAndCancel(terminal)
        _ = await payment.result
        var before = 0
        for await event in events {
            if case .reader(.instruction(.removeCard)) = event.content { before += 1 }
            if case .progress(.cancelling) = event.content { break }
        }
        #expect(before == 3)
    }

    @Test(
        "G31 G32 G34: each callback says what it answers, in order, one result an operation", .timeLimit(.minutes(20)))
    func callbacks() async throws {
        let host = FakeHost()
        host.play {
            $0.settings = HostSettings(merchantName: "Corner Shop", terminalID: "BENCH001", currencies: [.euro])
        }
        let terminal = try await terminal(host)
        let recorder = Recorder()
        await terminal.add(recorder)
        let reader = FakeReader(obedient: chipCard())
        try await terminal.connect(reader)
        _ = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("12.34")))
        _ = try await terminal.processRefund(
            Refund(orderID: OrderID("o2"), amount: euros("1.00"), target: .transaction("U000000001")))
        _ = try await terminal.deleteSecureCard(MerchantReference("customer-7"))
        _ = try await terminal.transactions()
        _ = try await terminal.settings()
        _ = try? await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("12.34")))
        try await terminal.disconnect()
        #expect(
            try await lines(recorder, 13) == [
                "connected Fake reader 1",
                "message present a card to the reader [sale o1]",
                "device event",
                "message authorizing [sale o1]",
                "sale approved [sale o1]",
                "message authorizing [refund o2]",
                "refund approved [refund o2]",
                "message updating the secure card at the host [deleteSecureCard customer-7]",
                "card Secure Card Deleted [deleteSecureCard customer-7]",
                "transactions 2 [transactions -]",
                "settings [settings -]",
                "error orderAlreadyProcessed [sale o1]",
                "disconnected Fake reader 1",
            ])
    }

    @Test("A26 E28 G34: every callback comes, and the reader's step by case", .timeLimit(.minutes(20)))
    func everyCallback() async throws {
        let host = FakeHost { request throws(HostError) in
            AuthorizationResponse(
                uniqueReference: "U1",
                issuer: IssuerAnswer.Answer(responseCode: request.orderID.text == "refer" ? "01" : "00"),
                authorizedAmount: request.amount, message: "APPROVAL")
        }
        host.play {
            $0.settings = HostSettings(merchantName: "Corner Shop", terminalID: "BENCH001")
            $0.referenced = { request throws(HostError) in
                AuthorizationResponse(
                    uniqueReference: "U2", issuer: IssuerAnswer.Answer(responseCode: "00"),
                    authorizedAmount: request.amount,
                    message: "APPROVAL")
            }
        }
        let terminal = try await terminal(host) {
            $0.signature = .captured(isVerified: true)
            $0.callsIssuer = true
        }
        let listener = AnsweringListener(try #require(stroke))
        await terminal.add(listener)
        let info = ReaderInfo(name: "Fake reader 1", capabilities: .contactChip, identity: ReaderIdentity())
        let attempt = try await terminal.beginConnecting(info)
        await terminal.endConnecting(attempt, TerminalError(.readerNotConnected, "not in time"))
        let candidates = ["a", "b"].map {
            ReaderRequest.Candidate(name: $0, link: .usb, place: "/dev/\($0)", identity: ReaderIdentity())
        }
        #expect(await terminal.chooseReader(among: candidates) == 1)

        let cardholder = TerminalCardholder(pinPad: nil, capabilities: [])
        let reader = FakeReader(chipCard()) { answer throws(CaptureError) in
            guard case .answered(let answer) = answer else { throw .noCardPresented }
            return CaptureOutcome(
                decision: answer.responseCode == "00" ? .approvedOnline : .declinedOnline, card: chipCard(),
                requiresSignature: true)
        }
        try await terminal.connect(reader, cardholder: cardholder)
        #expect(await cardholder.choose(["GIROCARD", "MAESTRO"]) == 1)
        let signed = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("12.34")))
        #expect(signed.outcome == .approved)
        #expect(signed.receipt.signature == stroke)
        #expect(
            try await terminal.processSale(Sale(orderID: OrderID("refer"), amount: euros("12.34"))).outcome == .approved
        )
        _ = try await terminal.reverse(OrderID("o1"))
        _ = try await terminal.processRefund(
            Refund(orderID: OrderID("o2"), amount: euros("1.00"), target: .transaction("U1")))
        _ = try await terminal.deleteSecureCard(MerchantReference("customer-7"))
        _ = try await terminal.transactions()
        _ = try await terminal.settings()
        _ = try? await terminal.transactions(TransactionQuery(pageSize: 0))
        reader.events.send(.progress(.configuration, 0.5))
        reader.events.send(.disconnected(.silent))

        let expected: Set = [
            "onMessage", "onSaleResponse", "onRefundResponse", "onSecureCardResponse", "onTransactionListResponse",
            "onSettingsRetrieved", "onReversalRetrieved", "onSignatureRequired", "onSignatureVerification",
            "onReferral", "onSelectApplication", "onError", "onSelectReader", "onDeviceConnecting",
            "onDeviceConnectionError", "onDeviceConnected", "onDeviceDisconnected", "onDeviceError", "onDeviceEvent",
            "onAutoConfigProgressUpdate",
        ]
        while listener.called != expected { try await Task.sleep(for: .milliseconds(2)) }
        #expect(listener.instructions == [.insertCard, .insertCard], "one for each sale")
    }

    @Test("E29 E32: what the reader tells comes from the terminal too", .timeLimit(.minutes(20))) func readerEvents()
        async throws
    {
        let terminal = try await terminal(FakeHost())
        let recorder = Recorder()
        await terminal.add(recorder)
        let reader = FakeReader(obedient: chipCard())
        try await terminal.connect(reader)
        reader.events.send(.prompt(["INSERT CARD"]))
        reader.events.send(.disconnected(.silent))
        #expect(
            try await lines(recorder, 6) == [
                "connected Fake reader 1", "message INSERT CARD [- -]", "device event",
                "device: the reader no longer answers: check that it is switched on and in range", "device event",
                "disconnected Fake reader 1",
            ])
    }

    @Test("A22: the battery level is reported, and an empty battery allows no payment", .timeLimit(.minutes(20)))
    func battery() async throws {
        let terminal = try await terminal(FakeHost())
        let reader = FakeReader(obedient: chipCard())
        try await terminal.connect(reader)
        reader.events.send(.battery(.discharging(percent: 2)))
        while await terminal.deviceInfo?.battery?.percent != 2 { try await Task.sleep(for: .milliseconds(2)) }
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        }
        #expect(error?.description == "the reader's battery is at 2 %: charge it first")
    }

    @Test("a listener that was removed hears nothing more", .timeLimit(.minutes(20))) func removed() async throws {
        let terminal = try await terminal(FakeHost())
        let (gone, stays) = (Recorder(), Recorder())
        await terminal.add(gone)
        await terminal.add(stays)
        await terminal.remove(gone)
        _ = try await terminal.transactions()
        _ = try await lines(stays, 1)
        #expect(gone.lines.isEmpty)
    }

    private func signing(
        _ signature: Signature?, verified: Bool = false, isGenuine: Bool? = nil, _ host: FakeHost = FakeHost(),
        card: CapturedCard = chipCard()
    ) async throws -> PaymentResponse {
        let reader = FakeReader(card) { _ throws(CaptureError) in
            CaptureOutcome(decision: .approvedOnline, card: card, requiresSignature: true)
        }
        let terminal = try await terminal(host, reader: reader) {
            $0.signature = .captured(isVerified: verified)
            $0.limits.person = isGenuine == nil ? .milliseconds(50) : .seconds(600)
        }
        let recorder = Recorder(signs: signature, isGenuine: isGenuine)
        await terminal.add(recorder)
        let response = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("12.34")))
        _ = try await terminal.recoverPending()
        return response
    }

    private let stroke = Signature(strokes: [[.init(x: 130, y: 50), .init(x: 170, y: 50)]])

    @Test("G40 A33: the sale goes on once the signature is submitted") func signed() async throws {
        let host = FakeHost()
        #expect(try await signing(stroke, host).outcome == .approved)
        guard case .finished(let chipData, let signature) = host.seen.advices.first?.result else {
            Issue.record("the host received nothing")
            return
        }
        #expect(!chipData.isEmpty)
        #expect(signature == stroke)
    }

    @Test("a signature for a swipe reaches the host, which needs nothing else after its approval") func signedSwipe()
        async throws
    {
        let host = FakeHost()
        #expect(try await signing(stroke, host, card: stripeCard()).outcome == .approved)
        guard host.seen.advices.count == 1, case .finished(chipData: [], let signature) = host.seen.advices[0].result
        else {
            Issue.record("\(host.seen.advices.count) advices")
            return
        }
        #expect(signature == stroke)
    }

    @Test("a signature that the host's interface does not carry is listed as not sent") func signatureNotCarried()
        async throws
    {
        let host = FakeHost()
        host.play { $0.fieldsNotCarried = [.signature] }
        let response = try await signing(stroke, host, card: stripeCard())
        #expect(response.outcome == .approved)
        #expect(response.receipt.signature == stroke)
        #expect(response.fieldsNotSent == [.signature])
        #expect(host.seen.advices.isEmpty)
    }

    @Test("A54 A56: a refused signature reverses the sale") func notSigned() async throws {
        let host = FakeHost()
        #expect(try await signing(nil, host).outcome == .reversed(.signatureDeclined))
        guard case .reversed(.signatureDeclined) = host.seen.advices.first?.result else {
            Issue.record("no reversal")
            return
        }
    }

    @Test("A34 A54: no verification of the signature within the time limit: reversed") func notVerified() async throws {
        #expect(try await signing(stroke, verified: true).outcome == .reversed(.signatureVerificationTimeout))
    }

    @Test("A34 A54: a signature that is not that of the card reverses the sale") func notGenuine() async throws {
        let host = FakeHost()
        let response = try await signing(stroke, verified: true, isGenuine: false, host)
        #expect(response.outcome == .reversed(.signatureDeclined))
        guard case .reversed(.signatureDeclined) = host.seen.advices.first?.result else {
            Issue.record("no reversal")
            return
        }
        #expect(try await signing(stroke, verified: true, isGenuine: true).outcome == .approved)
    }

    @Test("A33: the request for a signature has the amount, the tip in it, and the card's holder") func tipInRequest()
        async throws
    {
        let card = chipCard()
        let reader = FakeReader(card) { _ throws(CaptureError) in
            CaptureOutcome(decision: .approvedOnline, card: card, requiresSignature: true)
        }
        let terminal = try await terminal(FakeHost(), reader: reader) { $0.signature = .captured(isVerified: false) }
        let recorder = Recorder(signs: stroke)
        await terminal.add(recorder, for: [.question])
        _ = try await terminal.processSale(
            Sale(orderID: OrderID("o1"), amount: euros("12.34"), terms: PaymentTerms(tip: euros("1.00"))))
        #expect(try await lines(recorder, 1) == ["sign 12.34 EUR, tip 1.00 EUR, CARDHOLDER/VISA [sale o1]"])
    }

    @Test("a signature has a stroke, on its canvas") func signatures() {
        #expect(stroke != nil)
        #expect(Signature(strokes: [[.init(x: 1, y: 1)]]) == nil)
        #expect(Signature(strokes: [[.init(x: 1, y: 1), .init(x: 301, y: 1)]]) == nil)
        #expect(Signature(strokes: [Array(repeating: .init(x: 1, y: 1), count: 10_001)]) == nil)
    }
}
