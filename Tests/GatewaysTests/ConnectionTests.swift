import BenchHost
import BenchHostServer
import Bytes
import CardCapture
import FaultProxy
import Foundation
import Gateways
import PaymentTerminal
import Synchronization
import Testing
import WorldNet

@Suite("Clients of gateways over their connections") struct ConnectionTests {
    @Test(
        "PCI: card data leave this machine encrypted or not at all",
        arguments: [
            ("https://payments.example.com/merchant", true), ("http://127.0.0.1:8080/merchant", true),
            ("http://localhost", true),
            ("http://[::1]:80/", true), ("http://payments.example.com", false), ("http://127.0.0.1.example.com", false),
            ("http://127.1", false),
            ("http://10.0.0.1", false), ("ftp://127.0.0.1", false), ("https://user@example.com", false),
            ("https://example.com?x=1", false),
            ("https://", false), ("example.com", false), ("https://exa mple.com", false),
            ("https://example.com:0", false),
        ])
    func addresses(_ text: String, _ isTaken: Bool) {
        #expect(((try? GatewayAddress(text)) != nil) == isTaken)
    }

    @Test("no listener: nothing was sent") func nobody() async throws {
        let bench = try await HostBench()
        // Nobody listens at port 1: one that was free a moment ago may be another test's by now.
        for host: any PaymentHost in [try bench.rest(1), try bench.xml(1)] {
            #expect(
                try await code { _ = try await host.authorize(request("o1", "10.00", keyed())) }
                    == .failed(.unreachable))
        }
    }

    private static let payment = "POST /merchant\(RESTInterface.payments)"

    @Test(
        "a request or an answer that is lost leaves the outcome open",
        arguments: [MessageFault.dropped, .swallowed, .truncated])
    func lost(_ fault: MessageFault) async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        var options = bench.options
        // Long enough for the exchanges that nothing happens to, with every other test running
        // beside this one.
        options.answerTimeout = .seconds(6)
        for (number, isAnswer) in [(0, false), (1, true)] {
            let proxy = try FaultProxy(upstream: port) { _ in
                isAnswer
                    ? ConnectionScript(answers: [fault], from: Self.payment)
                    : ConnectionScript(requests: [fault], from: Self.payment)
            }
            defer { proxy.stop() }
            let gateway = try bench.rest(proxy.port, options: options)
            let order = "o\(number)"
            #expect(
                try await code { _ = try await gateway.authorize(request(order, "10.00", keyed())) }
                    == .failed(.noAnswer))
            let status = try await gateway.status(of: OrderID(order))
            if isAnswer {
                guard case .decided = status else {
                    Issue.record("\(status)")
                    return
                }
            } else {
                guard case .notSeen = status else {
                    Issue.record("\(status)")
                    return
                }
            }
        }
    }

    @Test("a host that marks its answers is spoken to over one connection, and an answer to another request is ignored")
    func marked() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        // The first connection fetches the token and learns that answers are marked.
        let proxy = try FaultProxy(upstream: port) { _ in
            ConnectionScript(answers: [.none, .none, .stale], from: Self.payment)
        }
        defer { proxy.stop() }
        let gateway = try bench.rest(proxy.port)
        for order in ["o1", "o2"] { _ = try await gateway.authorize(request(order, "10.00", keyed())) }
        #expect(proxy.connections == 2)
        #expect(
            try await code { _ = try await gateway.authorize(request("o3", "10.00", keyed())) } == .failed(.noAnswer))
        guard case .decided = try await gateway.status(of: OrderID("o3")) else {
            Issue.record("the host does not know the order")
            return
        }
        #expect(proxy.connections == 3, "the connection that is out of step is given up")
    }

    @Test("a request that arrives twice over one connection is carried out once, and answered as it was")
    func doubled() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let proxy = try FaultProxy(upstream: port) { _ in
            ConnectionScript(requests: [.none, .duplicated], answers: [.none, .swallowed], from: Self.payment)
        }
        defer { proxy.stop() }
        let gateway = try bench.rest(proxy.port)
        _ = try await gateway.authorize(request("o1", "10.00", keyed()))
        let response = try await gateway.authorize(request("o2", "10.00", keyed()))
        #expect(response.issuer.responseCode == "00")
        #expect(proxy.connections == 2)
        let answer = try await gateway.transactions(TransactionQuery(orderID: OrderID("o2")))
        #expect(answer.map(\.uniqueReference) == [response.uniqueReference])
    }

    @Test("a host that marks nothing gets a connection for each request") func unmarked() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.hasExtensions = false }
        let proxy = try FaultProxy(upstream: port) { _ in ConnectionScript() }
        defer { proxy.stop() }
        let gateway = try bench.rest(proxy.port)
        for order in ["o1", "o2"] { _ = try await gateway.authorize(request(order, "10.00", keyed())) }
        #expect(proxy.connections == 3)
    }

    @Test("a payment is sent once, under every fault", arguments: 0..<40) func neverTwice(_ seed: UInt64) async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let proxy = try FaultProxy(upstream: port) { connection in
            ConnectionScript(seed: seed &* 1000 &+ UInt64(connection), rate: 40)
        }
        defer { proxy.stop() }
        var options = bench.options
        options.answerTimeout = .milliseconds(500)
        let gateway: any PaymentHost =
            seed.isMultiple(of: 2)
            ? try bench.rest(proxy.port, options: options) : try bench.xml(proxy.port, options: options)
        var answered: Set<String> = []
        var certain: Set<String> = []
        for number in 0..<4 {
            let order = "o\(number)"
            do {
                let response = try await gateway.authorize(request(order, "10.00", keyed()))
                #expect(response.issuer.responseCode == "00")
                #expect(response.authorizedAmount.decimal == "10.00")
                answered.insert(order)
            } catch let error as HostError {
                if !error.leavesOutcomeUnknown { certain.insert(order) }
            }
        }
        let orders = try await bench.host.transactions(TransactionQuery(pageSize: 100))
        let known = orders.map(\.orderID.text)
        #expect(Set(known).count == known.count)
        #expect(known.count <= 4)
        #expect(answered.isSubset(of: known), "what was answered was stored")
        // A message that was corrupted on its way may be refused by the server as unreadable, or be
        // another order; what never left is not there.
        for order in certain where known.contains(order) {
            let record = try #require(orders.first { $0.orderID.text == order })
            Issue.record("\(order) was refused for certain and is \(record.state)")
        }
    }

    @Test(
        "45.67 to 45.71: the host fails as the table says",
        arguments: [
            (HostFault.silentAfterCommit, HostError.Code?.some(.failed(.noAnswer)), true),
            (.closedBeforeCommit, .failed(.noAnswer), false),
            (.closedAfterCommit, .failed(.noAnswer), true), (.badAnswer, .failed(.answerNotGenuine), true),
            (.late, nil, true),
        ])
    func faults(_ fault: HostFault, _ expected: HostError.Code?, _ isCommitted: Bool) async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.silence = .seconds(30) }
        var options = bench.options
        // Only silence is waited out; what comes must come before the time is up, however busy the
        // machine is.
        options.answerTimeout = .seconds(fault == .silentAfterCommit ? 5 : 60)
        let amount = Money(minorUnits: fault.rawValue, currency: .euro).decimal
        for (index, host)
            in ([bench.host, try bench.rest(port, options: options), try bench.xml(port, options: options)]
            as [any PaymentHost])
            .enumerated()
        {
            let order = "o\(index)"
            #expect(
                try await code { _ = try await host.authorize(request(order, amount, keyed())) } == expected, "\(index)"
            )
            let known = try await bench.host.transactions(TransactionQuery(orderID: OrderID(order)))
            #expect(known.isEmpty == !isCommitted)
        }
    }

    @Test("A11: a token is fetched once, renewed before it ends, and when the host has forgotten it") func tokens()
        async throws
    {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let skipped = Mutex(Duration.zero)
        let gateway = try bench.rest(port, skipped: { skipped.withLock { $0 } })
        func fetched() -> Int { bench.log.text.components(separatedBy: "info authenticate: 200").count - 1 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await gateway.settings() } }
            try await group.waitForAll()
        }
        #expect(fetched() == 1, "eight calls at once wait for one token")
        skipped.withLock { $0 = .seconds(3600 - 29) }
        _ = try await gateway.settings()
        #expect(fetched() == 2)
        #expect(!bench.log.text.contains(String(decoding: bench.apiKey.revealed(), as: UTF8.self)))
    }

    @Test(
        "E16: the application's block fetches tokens, once for several requests, before one ends and when one is refused"
    )
    func clientTokens() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let address = try GatewayAddress("http://127.0.0.1:\(port)/merchant")
        let skipped = Mutex(Duration.zero)
        let fetched = Mutex(0)
        let credential = RESTGateway.Account.Credential.clientToken {
            fetched.withLock { $0 += 1 }
            return try await RESTGateway.ClientToken(SecretBytes(bench.token(port).utf8), lifetime: .seconds(3600))
        }
        let gateway = try RESTGateway(
            address, account: .init(terminalID: HostBench.terminalID, credential: credential), options: bench.options,
            now: { .now + skipped.withLock { $0 } })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await gateway.settings() } }
            try await group.waitForAll()
        }
        #expect(fetched.withLock { $0 } == 1, "eight calls at once wait for one token")
        skipped.withLock { $0 = .seconds(3600 - 29) }
        _ = try await gateway.settings()
        #expect(fetched.withLock { $0 } == 2)
        await bench.revokeTokens()
        #expect(try await gateway.authorize(request("o1", "10.00", keyed())).issuer.responseCode == "00")
        #expect(fetched.withLock { $0 } == 3)
    }

    @Test("E16: without a token nothing leaves, and the application's error is not repeated") func noClientToken()
        async throws
    {
        struct Secret: Error, CustomStringConvertible { let description = "key 4711" }
        let address = try GatewayAddress("http://127.0.0.1:9/merchant")
        let account = RESTGateway.Account(terminalID: HostBench.terminalID, credential: .clientToken { throw Secret() })
        let gateway = try RESTGateway(address, account: account)
        let error = await #expect(throws: HostError.self) {
            _ = try await gateway.authorize(request("o1", "10.00", keyed()))
        }
        #expect(error?.code == .failed(.unreachable))
        #expect(error?.message == "the application has no client token: check its server")
        var options = ConnectionOptions()
        options.answerTimeout = .milliseconds(1)
        let slow = try RESTGateway(
            address,
            account: .init(
                terminalID: HostBench.terminalID,
                credential: .clientToken {
                    try await Task.sleep(for: .seconds(3600))
                    throw Secret()
                }), options: options)
        let late = await #expect(throws: HostError.self) { _ = try await slow.settings() }
        #expect(late?.code == .failed(.unreachable))
        for text in ["", "a\r\nb"] {
            #expect(throws: RESTGateway.ClientToken.Failure.invalid) {
                try RESTGateway.ClientToken(SecretBytes(text.utf8), lifetime: .seconds(1))
            }
        }
    }

    @Test("A69: each line of a client's log names its terminal") func terminalInTheLog() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let log = LogLines()
        var options = bench.options
        options.logger = log.logger
        let address = try GatewayAddress("http://127.0.0.1:\(port)/merchant")
        let rest = try RESTGateway(
            address, account: .init(terminalID: HostBench.terminalID, apiKey: bench.apiKey), options: options)
        _ = try await rest.settings()
        let lines = log.text.split(separator: "\n")
        #expect(lines.count >= 2, "\(log.text)")
        #expect(lines.allSatisfy { $0.contains(#""terminal": \#(HostBench.terminalID)"#) }, "\(log.text)")
    }

    @Test("A68: a token that the host does not know any more is not a lost payment") func forgottenToken() async throws
    {
        let bench = try await HostBench()
        let gateway = try bench.rest(try await bench.serve())
        _ = try await gateway.settings()
        await bench.revokeTokens()
        #expect(try await gateway.authorize(request("o1", "10.00", keyed())).issuer.responseCode == "00")
    }

    @Test("a wrong key, a wrong secret and a terminal of another are refused") func authorization() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let address = try GatewayAddress("http://127.0.0.1:\(port)/merchant")
        let stranger = try RESTGateway(
            address, account: .init(terminalID: HostBench.terminalID, apiKey: SecretBytes("0123".utf8)),
            options: bench.options)
        #expect(try await code { _ = try await stranger.settings() } == .refused(.notAuthorized))
        let other = try RESTGateway(
            address, account: .init(terminalID: "OTHER", apiKey: bench.apiKey), options: bench.options)
        #expect(try await code { _ = try await other.settings() } == .refused(.notAuthorized))
        let forger = try XMLGateway(
            address, account: .init(terminalID: HostBench.terminalID, secret: SecretBytes("guess".utf8)),
            options: bench.options
        ) { Timestamp(secondsSince1970: 0) }
        #expect(
            try await code { _ = try await forger.authorize(request("o1", "10.00", keyed())) }
                == .refused(.notAuthorized))
        let legacy = XMLGateway.Account(terminalID: HostBench.terminalID, secret: HostBench.secret, usesLegacyMD5: true)
        let old = try XMLGateway(address, account: legacy, options: bench.options) { Timestamp(secondsSince1970: 0) }
        #expect(
            try await code { _ = try await old.authorize(request("o1", "10.00", keyed())) } == .refused(.notAuthorized),
            "MD5 is off")
        #expect(try await bench.host.transactions(TransactionQuery()).isEmpty)
        let lenient = try await HostBench()
        let second = try await lenient.serve { $0.allowsLegacyMD5 = true }
        let allowed = try XMLGateway(
            GatewayAddress("http://127.0.0.1:\(second)/merchant"), account: legacy, options: bench.options
        ) { Timestamp(secondsSince1970: 0) }
        #expect(try await allowed.authorize(request("o1", "10.00", keyed())).issuer.responseCode == "00")
    }

    @Test("a terminal can neither refund, nor reverse, nor ask after another's order") func otherTerminal() async throws
    {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let sale = try await bench.xml(port).authorize(request("o1", "10.00", keyed())).uniqueReference
        let (rest, xml) = try await bench.otherTerminal(port)
        for host in [rest, xml] as [any PaymentHost] {
            let refund = ReferencedRequest(
                orderID: OrderID("r1"), original: sale, amount: try Money(parsing: "1.00 EUR"),
                timestamp: Timestamp(secondsSince1970: 0), terminalID: "OTHER")
            #expect(try await code { _ = try await host.refund(refund) } == .refused(.transactionUnknown))
            guard case .notSeen = try await host.status(of: OrderID("o1")) else {
                Issue.record("the order is another terminal's")
                return
            }
        }
        for host in [rest, xml] as [any PaymentHost] {
            try await host.advise(Advice(orderID: OrderID("o1"), result: .reversed(.requested)))
            let own = try request("o1", "7.00", keyed(), terminalID: "OTHER")
            #expect(
                try await code { _ = try await host.authorize(own) } == .refused(.orderAlreadyProcessed),
                "it reversed its own")
        }
        #expect(try await rest.transactions(TransactionQuery()).isEmpty)
        #expect(try await bench.host.transactions(TransactionQuery()).map(\.state) == [.approved])
    }

    @Test("a reversal before its order blocks the orders of its own terminal, and no other's")
    func reversalBeforeItsOrder() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let other = try await bench.otherTerminal(port)
        for (index, host) in [other.rest, other.xml].enumerated() {
            let order = "o\(index)"
            let reversal = Advice(orderID: try OrderID(order), result: .reversed(.noHostAnswer))
            try await host.advise(reversal)
            guard case .reversed = try await host.status(of: OrderID(order)) else {
                Issue.record("its own terminal gets the reversal")
                return
            }
            guard case .notSeen = try await bench.rest(port).status(of: OrderID(order)) else {
                Issue.record("the reversal is another terminal's")
                return
            }
            let own = try request(order, "10.00", keyed(), terminalID: "OTHER")
            #expect(try await code { _ = try await host.authorize(own) } == .refused(.orderAlreadyProcessed))
            let approved = try await bench.xml(port).authorize(request(order, "10.00", keyed()))
            #expect(approved.issuer.responseCode == "00")
            try await host.advise(reversal)
        }
        #expect(try await bench.host.transactions(TransactionQuery()).map(\.state) == [.approved, .approved])
    }

    @Test("an offline approval does not take another terminal's order") func offlineApprovalOfAnother() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        _ = try await bench.xml(port).authorize(request("o1", "10.51", keyed()))
        let taken = try request("o1", "99.00", keyed(), terminalID: "OTHER", processing: .approvedOffline)
        let other = try await bench.otherTerminal(port)
        _ = try await other.rest.authorize(taken)
        let record = try #require(try await bench.host.transactions(TransactionQuery(), of: HostBench.terminalID).first)
        #expect(record.state == .declined)
        #expect(record.amount?.decimal == "10.51")
        #expect(try await bench.host.transactions(TransactionQuery(), of: "OTHER").map(\.state) == [.approvedOffline])
    }

    @Test("two terminals may use one order id; each sees, reverses and refunds its own") func sameOrderID() async throws
    {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let other = try await bench.otherTerminal(port)
        let (own, foreign) = (try bench.rest(port), other.rest)
        let first = try await own.authorize(request("o1", "10.00", keyed()))
        let second = try await foreign.authorize(request("o1", "20.00", keyed(), terminalID: "OTHER"))
        #expect(first.uniqueReference != second.uniqueReference)
        for (host, amount) in [(own as any PaymentHost, "10.00"), (foreign, "20.00")] {
            guard case .decided(let answer) = try await host.status(of: OrderID("o1")) else {
                Issue.record("not decided")
                return
            }
            #expect(answer.authorizedAmount.decimal == amount)
        }
        try await foreign.advise(Advice(orderID: OrderID("o1"), result: .reversed(.requested)))
        #expect(try await bench.host.transaction(first.uniqueReference)?.record.state == .approved)
        #expect(try await bench.host.transaction(second.uniqueReference)?.record.state == .reversed)
    }

    @Test("a key of several terminals asks for the order of the terminal that it names") func keyOfTwoTerminals()
        async throws
    {
        let bench = try await HostBench()
        let port = try await bench.serve()
        _ = try await bench.otherTerminal(port)
        let key = try await bench.host.makeAPIKey(alias: "both", terminals: [HostBench.terminalID, "OTHER"])
        let address = try GatewayAddress("http://127.0.0.1:\(port)/merchant")
        for (terminal, amount) in [(HostBench.terminalID, "10.00"), ("OTHER", "20.00")] {
            let host = try RESTGateway(
                address, account: .init(terminalID: terminal, apiKey: key), options: bench.options)
            _ = try await host.authorize(request("o1", amount, keyed(), terminalID: terminal))
        }
        for (terminal, amount) in [(HostBench.terminalID, "10.00"), ("OTHER", "20.00")] {
            let host = try RESTGateway(
                address, account: .init(terminalID: terminal, apiKey: key), options: bench.options)
            guard case .decided(let answer) = try await host.status(of: OrderID("o1")) else {
                Issue.record("not decided")
                return
            }
            #expect(answer.authorizedAmount.decimal == amount)
        }
        #expect(try await code { _ = try await bench.host.status(of: OrderID("o1")) } == .refused(.notAllowed))
    }

    @Test("a terminal can neither read, nor charge, nor replace, nor delete another's secure card")
    func anothersSecureCard() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let own = try bench.rest(port)
        let card = try await own.registerSecureCard(registration("c1"))
        let token = try #require(card.cardReference)
        let (rest, xml) = try await bench.otherTerminal(port)
        let reference = try MerchantReference("c1")
        for (index, host) in [rest, xml].enumerated() {
            #expect(try await code { _ = try await host.retrieveSecureCard(reference) } == .refused(.secureCardUnknown))
            let change = try registration("c1", "4111111111111111")
            #expect(try await code { _ = try await host.updateSecureCard(change) } == .refused(.secureCardUnknown))
            #expect(
                try await code { try await host.deleteSecureCard(reference, token: token) }
                    == .refused(.secureCardUnknown))
            let sale = try request("s\(index)", "10.00", .token(token), terminalID: "OTHER")
            #expect(try await code { _ = try await host.authorize(sale) } == .refused(.secureCardUnknown))
        }
        let foreign = try await rest.registerSecureCard(registration("c1", "4111111111111111"))
        #expect(foreign.cardReference != token, "the merchant reference is free for another terminal")
        #expect(try await own.retrieveSecureCard(reference).card == card.card)
        #expect(try await own.authorize(request("o1", "10.00", .token(token))).issuer.responseCode == "00")
    }

    @Test(
        "what counts as loopback is the address, not the name",
        arguments: ["127.example.invalid", "127.0.0.1.example.invalid", "0.0.0.0", "::"])
    func notLoopback(_ hostname: String) async throws {
        let bench = try await HostBench()
        #expect(throws: BenchHostServerError.self) {
            try BenchHostServer(bench.host, BenchHostServer.Configuration(hostname: hostname))
        }
    }

    @Test("loopback by each of its names", arguments: ["localhost", "127.0.0.1", "127.8.9.10", "::1"])
    func loopback(_ hostname: String) async throws {
        let bench = try await HostBench()
        _ = try BenchHostServer(bench.host, BenchHostServer.Configuration(hostname: hostname))
    }

    @Test("A66: another address forgets the token of the first") func otherAddress() async throws {
        let first = try await HostBench()
        let second = try await HostBench()
        let gateway = try first.rest(try await first.serve())
        _ = try await gateway.settings()
        let port = try await second.serve()
        try await gateway.use(
            GatewayAddress("http://127.0.0.1:\(port)/merchant"),
            account: .init(terminalID: HostBench.terminalID, apiKey: second.apiKey))
        _ = try await gateway.settings()
        #expect(second.log.text.contains("info authenticate: 200"))
        #expect(!second.log.text.contains(": 401"))
    }

    /// The bench host declines amounts that end with 51 and approves half of those that end with
    /// 10.
    @Test(
        "a refund that the card approved offline is decided by a gateway without extensions, whose answer says what it pays"
    )
    func refundApprovedByTheCard() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.hasExtensions = false }
        let gateway = try bench.rest(port)
        for (order, amount, counter) in [("r1", "5.00", 1), ("r2", "5.51", 2), ("r3", "5.10", 3)]
            as [(String, String, UInt16)]
        {
            let minorUnits = try Money(parsing: amount, in: .euro).minorUnits
            let card = PaymentCard.captured(try ChipCard(minorUnits: minorUnits).captured(atc: counter))
            let refund = try request(order, amount, card, purpose: .refund, processing: .approvedOffline)
            let answer = try await gateway.authorize(refund)
            #expect(answer.isAuthorized == (order != "r2"), "\(order)")
            #expect(answer.authorizedAmount.minorUnits == (order == "r3" ? minorUnits / 2 : minorUnits), "\(order)")
            #expect(try await code { _ = try await gateway.authorize(refund) } == .refused(.orderAlreadyProcessed))
            let record = try #require(
                try await bench.host.transactions(TransactionQuery(orderID: OrderID(order))).first)
            let state: [String: TransactionRecord.State] = ["r1": .approved, "r2": .declined, "r3": .approved]
            #expect(record.kind == .refund)
            #expect(record.state == state[order])
        }
    }

    @Test("what a gateway charges in place of recording a decline is reversed") func declineThatWasCharged()
        async throws
    {
        let server = try ApprovingGateway()
        let gateway = try RESTGateway(
            GatewayAddress("http://127.0.0.1:\(server.port)/merchant"),
            account: .init(terminalID: HostBench.terminalID, apiKey: SecretBytes("key".utf8)))
        let card = PaymentCard.captured(try ChipCard(minorUnits: 500).captured(atc: 1))
        let advice = try Advice(orderID: "d1", result: .declinedOffline(request("d1", "5.00", card)))
        #expect(try await code { try await gateway.advise(advice) } == .refused(.notSupported))
        let records = try await gateway.transactions(TransactionQuery(orderID: OrderID("d1")))
        #expect(records.map(\.state) == [.reversed])
        // It has charged this one, too, and refuses to be asked about it.
        let unlisted = try Advice(orderID: "unlisted", result: .declinedOffline(request("unlisted", "5.00", card)))
        #expect(try await code { try await gateway.advise(unlisted) } == .failed(.noAnswer))
        // It has charged this one, and says that another one was declined.
        let others = try Advice(orderID: "others", result: .declinedOffline(request("others", "5.00", card)))
        #expect(try await code { try await gateway.advise(others) } == .refused(.orderAlreadyProcessed))
        withExtendedLifetime(server) {}
    }

    @Test(
        "a host without extensions: the list tells of orders, and a reversal stays due until the order cannot come any more"
    )
    func withoutExtensions() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.hasExtensions = false }
        let skipped = Mutex(Duration.zero)
        let gateway = try bench.rest(port, skipped: { skipped.withLock { $0 } })
        let given = try await gateway.authorize(request("o1", "10.00", keyed()))
        guard case .decided(let answer) = try await gateway.status(of: OrderID("o1")),
            case .notSeen = try await gateway.status(of: OrderID("o2"))
        else {
            Issue.record("not decided")
            return
        }
        #expect(answer == given)
        try await gateway.advise(Advice(orderID: OrderID("o1"), result: .reversed(.noHostAnswer)))
        let record = try #require(try await bench.host.transactions(TransactionQuery()).first)
        #expect(record.state == .reversed)
        #expect(record.reversalReason == .noHostAnswer)
        guard case .reversed = try await gateway.status(of: OrderID("o1")) else {
            Issue.record("not reversed")
            return
        }
        let reversal = Advice(orderID: OrderID("o3"), result: .reversed(.noHostAnswer))
        #expect(try await code { try await gateway.advise(reversal) } == .failed(.noAnswer))
        skipped.withLock { $0 = RESTGateway.inDoubtWindow }
        try await gateway.advise(reversal)
        try await gateway.advise(Advice(orderID: OrderID("o1"), result: .finished(chipData: [], signature: nil)))

        let xml = try bench.xml(port)
        // Once the gateway has named no extensions three times, over ten minutes or more, both are
        // refused (XMLExtensions).
        #expect(try await code { _ = try await xml.status(of: OrderID("o1")) } == .failed(.internalError))
        #expect(try await code { try await xml.advise(reversal) } == .failed(.internalError))
    }

    @Test("a host without extensions: a reversal is of the transaction that the terminal has compared, and of no other")
    func comparedTransaction() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.hasExtensions = false }
        let skipped = Mutex(Duration.zero)
        let gateway = try bench.rest(port, skipped: { skipped.withLock { $0 } })
        func reverse(_ finding: Advice.Finding) async throws {
            try await gateway.advise(Advice(orderID: "o1", result: .reversed(.noHostAnswer), finding: finding))
        }
        // Another terminal's order arrives between the terminal's look and the gateway's own.
        let others = try await gateway.authorize(request("o1", "99.00", keyed()))
        #expect(try await code { try await reverse(.nothing) } == .failed(.noAnswer))
        #expect(try await code { try await reverse(.transaction(uniqueReference: "not listed")) } == .failed(.noAnswer))
        skipped.withLock { $0 = RESTGateway.inDoubtWindow }
        #expect(
            try await code { try await reverse(.transaction(uniqueReference: "not listed")) }
                == .refused(.transactionUnknown))
        #expect(try await bench.host.transactions(TransactionQuery()).map(\.state) == [.approved])
        try await reverse(.transaction(uniqueReference: others.uniqueReference))
        #expect(try await bench.host.transactions(TransactionQuery()).map(\.state) == [.reversed])
    }

    @Test("a cancelled payment is unknown once it has left") func cancellation() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.silence = .seconds(30) }
        let gateway = try bench.rest(port)
        _ = try await gateway.settings()
        let task = Task { try await code { _ = try await gateway.authorize(request("o1", "45.67", keyed())) } }
        while try await bench.host.transactions(TransactionQuery()).isEmpty {
            try await Task.sleep(for: .milliseconds(5))
        }
        task.cancel()
        #expect(try await task.value == .failed(.noAnswer))
    }

    @Test("TLS: the certificate must be one that is trusted, and for this host") func tls() async throws {
        let bench = try await HostBench()
        let (chain, key) = try bench.selfSigned(for: "IP:127.0.0.1")
        let port = try await bench.serve { $0.certificate = (chain, key) }
        let address = try GatewayAddress("https://127.0.0.1:\(port)/merchant")
        let account = RESTGateway.Account(terminalID: HostBench.terminalID, apiKey: bench.apiKey)
        let unknown = try RESTGateway(address, account: account, options: bench.options)
        #expect(try await code { _ = try await unknown.settings() } == .failed(.unreachable))
        var options = bench.options
        options.trustedCertificates = chain
        #expect(try await RESTGateway(address, account: account, options: options).settings() == .bench)
        let other = try await HostBench()
        let (otherChain, otherKey) = try other.selfSigned(for: "DNS:other.example.com")
        let otherPort = try await other.serve { $0.certificate = (otherChain, otherKey) }
        options.trustedCertificates = otherChain
        for name in ["localhost", "127.0.0.1"] {
            let misled = try RESTGateway(
                GatewayAddress("https://\(name):\(otherPort)/merchant"), account: account, options: options)
            #expect(
                try await code { _ = try await misled.settings() } == .failed(.unreachable),
                "the certificate is another's")
        }
        #expect(throws: BenchHostServerError.certificateNeeded) {
            try BenchHostServer(bench.host, BenchHostServer.Configuration(hostname: "0.0.0.0"))
        }
    }
}

extension HostBench {
    /// The two interfaces as another terminal, `OTHER`, of which the host knows from now on.
    func otherTerminal(_ port: UInt16) async throws -> (rest: any PaymentHost, xml: any PaymentHost) {
        var settings = HostSettings.bench
        settings.terminalID = "OTHER"
        try await host.save(BenchTerminal(settings: settings, secret: SecretBytes("other".utf8)))
        let key = try await host.makeAPIKey(alias: "other", terminals: ["OTHER"])
        let address = try GatewayAddress("http://127.0.0.1:\(port)/merchant")
        let xml = try XMLGateway(
            address, account: .init(terminalID: "OTHER", secret: SecretBytes("other".utf8)), options: options
        ) { Timestamp(secondsSince1970: 0) }
        return (try RESTGateway(address, account: .init(terminalID: "OTHER", apiKey: key), options: options), xml)
    }

    /// A certificate of one's own by openssl.
    func selfSigned(for name: String) throws -> (chain: String, key: String) {
        let (chain, key) = (folder + "/chain.pem", folder + "/key.pem")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=bench",
            "-addext", "subjectAltName=\(name)", "-keyout", key, "-out", chain,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return (chain, key)
    }
}
