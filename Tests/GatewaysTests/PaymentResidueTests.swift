import Bytes
import CardCapture
import EMVKernel
import Foundation
import PaymentDoubles
import PaymentTerminal
import ProcessMemory
import Synchronization
import TLV
import TerminalJournal
import Testing
import WorldNet
import XMLDocument

@testable import Gateways

@Suite(.serialized) struct PaymentResidueTests {
    @Test("No card data stay in memory (`PaymentSearchTests`, in a process of its own)") func nothingStays()
        async throws
    {
        let (status, said) = try await OwnProcess.run("PaymentSearchTests")
        #expect(status == 0, "\(said)")
        #expect(said.contains("Test run with 1 test"), "\(said)")
    }
}

/// A card's number and track are nowhere in memory after its payment: terminal, journal and gateway
/// have wiped them.
///
/// Looked for are a number of chance in the range of test cards, as text and packed, and with it
/// any track that has it.
@Suite(.serialized, .enabled(if: OwnProcess.isThis), .timeLimit(.minutes(20))) struct PaymentSearchTests {
    enum Way: CaseIterable {
        case keyed
        /// Registered as a secure card, and paid with that.
        case token
        /// Set aside, and captured.
        case preAuthorization
        /// Paid out to a card that was keyed.
        case cardRefund
        case swipe
        case chip
        case tap
        /// Approved by the host and not by the card, and reversed.
        case chipDeclines
        /// Declined by the issuer.
        case declined
        /// The host's answer is lost, and the payment is looked into later.
        case answerLost
        /// The caller gives up while the host works.
        case cancelled
        /// Kept in the journal while there is no host, and sent later.
        case storedOffline

        var hasChip: Bool { [.chip, .tap, .chipDeclines].contains(self) }
        /// Whether the published XML interface has a message for it: it has no chips, and no
        /// payments that were taken offline.
        var isInXML: Bool { !hasChip && self != .storedOffline }
    }

    enum Host: CaseIterable {
        /// One that keeps nothing, in this process: what is left is the terminal's or the
        /// journal's.
        case none
        /// The REST client, over a network that keeps nothing.
        case rest
        /// The XML client, over a network that keeps nothing.
        case xml
        /// The REST client over HTTP to another process.
        case http
    }

    /// Each payment over each host that has it.
    static let payments = Host.allCases.flatMap { host in
        Way.allCases.filter { host != .xml || $0.isInXML }.map { (host, $0) }
    }

    @Test(arguments: payments) func nothingStays(_ kind: Host, _ way: Way) async throws {
        let digits = SecretDigits.cardNumber()
        let gateway = kind == .http ? try ApprovingGateway() : nil
        try await pay(way, ScriptedHost(try host(kind, gateway)), digits)
        let limit = ContinuousClock.now + .seconds(5)
        while digits.copies() > 0, .now < limit { try await Task.sleep(for: .milliseconds(20)) }
        #expect(digits.copies() == 0, "\(kind), \(way)")
    }

    private func host(_ kind: Host, _ gateway: ApprovingGateway?) throws -> any PaymentHost {
        let options = ConnectionOptions(answerTimeout: .seconds(20))
        func address(_ port: UInt16) throws -> GatewayAddress {
            try GatewayAddress("http://127.0.0.1:\(port)/merchant")
        }
        let account = RESTGateway.Account(terminalID: HostBench.terminalID, apiKey: SecretBytes("key".utf8))
        switch kind {
        case .none: return SilentHost()
        case .rest:
            return try RESTGateway(
                address(1), account: account, options: options, now: { .now }, network: { SilentNetwork() })
        case .xml:
            return try XMLGateway(
                address(1), account: .init(terminalID: HostBench.terminalID, secret: HostBench.secret),
                options: options,
                clock: { Samples.moment }, network: { SilentNetwork() })
        case .http: return try RESTGateway(address(#require(gateway?.port)), account: account, options: options)
        }
    }

    private func pay(_ way: Way, _ host: ScriptedHost, _ digits: SecretDigits) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let journal = try await SQLiteJournal.open(
            folder: folder, key: JournalKey.bytes(SecretBytes([UInt8](repeating: 9, count: 32))))
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: HostBench.terminalID, currency: .euro, mode: .test)
        configuration.mode = .test
        configuration.limits.retry = .seconds(3600)
        if way == .cancelled { configuration.limits.host = .milliseconds(200) }
        configuration.offline.deferredAuthorization = [.keyed]
        let terminal = Terminal(configuration: configuration, host: host, journal: journal) { Samples.moment }
        func sale(_ source: Sale.Source) throws -> Sale {
            try Sale(orderID: Samples.order, amount: Samples.amount, source: source)
        }
        switch way {
        case .keyed:
            let keyed = try Sale.Source.keyed(Samples.details(digits), cvv: SecretBytes("123".utf8))
            #expect(digits.copies() > 0, "the look finds what is there")
            #expect(try await terminal.processSale(sale(keyed)).outcome == .approved)
        case .token:
            var card = SecureCard(merchantReference: try MerchantReference("m1"))
            card.tokenMethod = .keyed(try Samples.details(digits), cvv: nil)
            let kept = try await terminal.registerSecureCard(card)
            #expect(
                try await terminal.processSale(sale(.secureCard(#require(kept.secureCard?.cardReference)))).outcome
                    == .approved)
        case .preAuthorization:
            var set = try sale(.keyed(Samples.details(digits), cvv: nil))
            set.isPreAuthorization = true
            let reference = try #require(try await terminal.processSale(set).uniqueReference)
            let capture = FundsCapture(orderID: OrderID("o1-capture"), original: reference, amount: try Samples.amount)
            #expect(try await terminal.capture(capture).outcome == .approved)
        case .cardRefund:
            let card = Refund.Target.card(.keyed(try Samples.details(digits), cvv: nil))
            let refund = Refund(orderID: try Samples.order, amount: try Samples.amount, target: card)
            #expect(try await terminal.processRefund(refund).outcome == .approved)
        case .swipe, .chip, .tap:
            try await terminal.connect(Samples.Reader(digits: digits, way: way))
            #expect(try await terminal.processSale(sale(.reader)).outcome == .approved)
            try await terminal.disconnect()
        case .chipDeclines:
            try await terminal.connect(Samples.Reader(digits: digits, way: way))
            #expect(try await terminal.processSale(sale(.reader)).isApproved == false)
            try await terminal.disconnect()
            _ = try await terminal.recoverPending()
        case .declined:
            host.line = .declines
            #expect(
                try await terminal.processSale(sale(.keyed(Samples.details(digits), cvv: nil))).outcome == .declined)
        case .answerLost:
            host.line = .losesAnswers
            #expect(try await terminal.processSale(sale(.keyed(Samples.details(digits), cvv: nil))).isApproved == false)
            host.line = .good
            _ = try await terminal.recoverPending()
        case .cancelled:
            host.line = .silent
            let task = Task { try await terminal.processSale(sale(.keyed(Samples.details(digits), cvv: nil))) }
            await host.waitUntilAsked()
            task.cancel()
            _ = await task.result
            host.line = .good
            _ = try await terminal.recoverPending()
        case .storedOffline:
            host.line = .cut
            #expect(
                try await terminal.processSale(sale(.keyed(Samples.details(digits), cvv: nil))).outcome
                    == .storedOffline)
            host.line = .good
            let recovered = try await terminal.recoverPending()
            #expect(recovered.map(\.outcome) == [.approved], "\(recovered)")
        }
    }

    private enum Samples {
        static let moment = Timestamp(secondsSince1970: 1_773_057_909)
        static var order: OrderID { get throws { OrderID("o1") } }
        static var amount: Money { get throws { try Money(parsing: "12.34", in: .euro) } }
        static let token = "2967531234567894"

        static func details(_ digits: SecretDigits) throws -> CardDetails {
            try digits.fill(digits.placeholder) { number in
                try CardDetails(
                    pan: SecretBytes(number), expiry: #require(ExpiryDate(mmyy: "1231")), cardholderName: "A/B")
            }
        }

        /// A reader that has its card in memory only while it is read.
        struct Reader: CardReader {
            let digits: SecretDigits
            let way: Way
            let name = "Reader"
            var capabilities: ReaderCapabilities {
                way == .tap ? .contactlessChip : way.hasChip ? .contactChip : .magneticStripe
            }
            let events = ReaderEvents()

            func capture(
                _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
            ) async throws(CaptureError) -> CaptureOutcome {
                let card = card()
                guard case .answered(let answer) = await authorize(card) else { throw .noCardPresented }
                let isApproved = request.responseCodes.approves(answer.responseCode) && way != .chipDeclines
                return CaptureOutcome(decision: isApproved ? .approvedOnline : .declinedOnline, card: card)
            }

            private func card() -> CapturedCard {
                let number = digits.fill(digits.placeholder) { SecretBytes($0) }
                guard way.hasChip else {
                    let track = digits.fill(digits.placeholder + Array("=31122010000012300000".utf8)) {
                        SecretBytes($0)
                    }
                    return CapturedCard(entryMode: .magneticStripe, pan: number, expiry: "3112", track2: track)
                }
                // Tag 57: two digits to a byte, D between number and the rest, filled up with F.
                let track = digits.fill(digits.placeholder + Array("=31122010000012300000?".utf8)) { text in
                    var packed = stride(from: 0, to: text.count - 1, by: 2).map { (index: Int) -> UInt8 in
                        (text[index] & 0x0F) << 4 | text[index + 1] & 0x0F
                    }
                    defer { wipe(&packed) }
                    return SecretBytes(packed)
                }
                var elements = DataElements()
                elements[.applicationCryptogram] = [1, 2, 3, 4, 5, 6, 7, 8]
                elements[.cryptogramInformationData] = [0x80]
                return CapturedCard(
                    entryMode: way == .tap ? .contactlessChip : .chip, pan: number, expiry: "3112",
                    panSequenceNumber: 1, track2: track,
                    chip: ChipData(elements: elements))
            }
        }
    }

    /// The host behind a line.
    private final class ScriptedHost: RelayedHost {
        enum Line {
            case good, cut
            /// The issuer declines what the host has approved.
            case declines
            /// The answer to a payment is lost, and so is every inquiry after it.
            case losesAnswers
            /// A payment is never answered.
            case silent
        }

        private let host: any PaymentHost
        private let state = Mutex(Line.good)
        private let asked = AsyncStream<Void>.makeStream()
        var line: Line {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }

        init(_ host: any PaymentHost) { self.host = host }

        func relayed() throws(HostError) -> any PaymentHost {
            guard line != .cut else { throw HostError(.unreachable, "no network") }
            return host
        }

        func waitUntilAsked() async { for await _ in asked.stream { return } }

        func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
            let response = try await relayed().authorize(request)
            switch line {
            case .good, .cut: return response
            case .declines:
                return AuthorizationResponse(
                    uniqueReference: response.uniqueReference, issuer: IssuerAnswer.Answer(responseCode: "05"),
                    authorizedAmount: Money(minorUnits: 0, currency: request.amount.currency), message: "DECLINED")
            case .losesAnswers: throw HostError(.noAnswer, "the answer was lost")
            case .silent:
                asked.continuation.yield()
                try? await Task.sleep(for: .seconds(3600))
                throw HostError(.noAnswer, "the caller has given up")
            }
        }
        func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
            guard line != .losesAnswers else { throw HostError(.noAnswer, "the answer was lost") }
            return try await relayed().status(of: orderID)
        }
    }

    private struct SilentHost: PaymentHost {
        func settings() async throws(HostError) -> HostSettings { throw HostError(.notSupported, "none") }
        func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
            approval(of: request.amount)
        }
        func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
            throw HostError(.notSupported, "none")
        }
        func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
            approval(of: request.amount)
        }
        func advise(_ advice: Advice) async throws(HostError) {}
        func status(of orderID: OrderID) async throws(HostError) -> OrderStatus { .notSeen }
        func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page { [] }
        func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
            SecureCard(
                merchantReference: registration.merchantReference, cardReference: SecureCardReference(Samples.token),
                card: registration.summary, details: registration.details)
        }
        func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
            throw HostError(.notSupported, "none")
        }
        func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
            try await registerSecureCard(registration)
        }
        func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {}
    }

    static func approval(of amount: Money) -> AuthorizationResponse {
        AuthorizationResponse(
            uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
            authorizedAmount: amount, message: "APPROVAL")
    }

    /// A network whose host approves the one order of this test, without a look at what it was
    /// sent.
    private struct SilentNetwork: HTTPNetwork, HTTPTransport {
        func connect() -> any HTTPTransport { self }
        func close() {}

        func answer(to request: HTTPRequest, limit: Int) async throws(HTTPTransportError) -> HTTPResponse {
            let name = request.headers.first { $0.name == "CardPresent-Request" }
            let headers = name.map { [$0] } ?? []
            do {
                let body = request.url.hasSuffix("xmlpayment") ? try xml(request) : Array(json(request).utf8)
                return HTTPResponse(status: 200, headers: headers, body: body)
            } catch {
                throw .noAnswer(.other)
            }
        }

        private func json(_ request: HTTPRequest) -> String {
            if request.url.contains("transactions?") { return #"{"data":[]}"# }
            if request.method == "GET" { return #"{"token":"t0","tokenType":"Bearer","expiresIn":1}"# }
            let isRefund = request.url.hasSuffix("refunds")
            guard isRefund || request.url.hasSuffix("payments") || request.url.hasSuffix("capture") else {
                return #"{"merchantReference":"m1","credentialsNumber":"\#(Samples.token)"}"#
            }
            return """
                {"uniqueReference":"U1",\(isRefund ? #""orderId":"o1""# : #""order":{"orderId":"o1"}"#),"transactionResult":{\
                "type":"\(isRefund ? "REFUND" : "SALE")","status":"READY","currency":"EUR","approvalCode":"123456",\
                "authorizedAmount":\(isRefund ? "-" : "")12.34,"resultCode":"A","resultMessage":"OK","processorResultCode":"00"}}
                """
        }

        private func xml(_ request: HTTPRequest) throws -> [UInt8] {
            if request.method == "OPTIONS" { return [] }
            let hash = MessageHash(secret: HostBench.secret)
            let exchange = try #require(XMLForm.exchanges.first { has("<\($0.request.name)>", in: request) })
            var asked = XMLMessage(exchange.request)
            asked[.terminalID] = HostBench.terminalID
            asked[.amount] = try Samples.amount.decimal
            if exchange.request.name == XMLForm.registration.name {
                let card = SecureCard(
                    merchantReference: try MerchantReference("m1"), cardReference: SecureCardReference(Samples.token))
                return XMLMessage(card, .registrationResponse, at: Samples.moment).element(answering: asked, hash)
                    .document
            }
            let approval = PaymentSearchTests.approval(of: try Samples.amount)
            return XMLMessage(approval, to: exchange.answer, at: Samples.moment).element(answering: asked, hash)
                .document
        }

        private func has(_ text: String, in request: HTTPRequest) -> Bool {
            let text = Array(text.utf8)
            return request.body?.withBytes { body in
                body.indices.dropLast(text.count).contains { start in
                    text.indices.allSatisfy { body[start + $0] == text[$0] }
                }
            } ?? false
        }
    }
}
