import BenchHost
import BenchHostServer
import Bytes
import CardCapture
import CardCryptography
import FaultProxy
import Foundation
import Gateways
import Logging
import PaymentTerminal
import Synchronization
import TLV
import Testing

/// A bench host in a folder of its own, served on loopback on request; both go with it.
final class HostBench: Sendable {
    let folder: String
    let host: BenchHost
    let apiKey: SecretBytes
    let log = LogLines()
    private let serving = Mutex<Task<Void, any Error>?>(nil)
    private let server = Mutex<BenchHostServer?>(nil)

    static let secret = SecretBytes("sandboxEUR".utf8)
    static let terminalID = "BENCH001"

    init(rules: HostRules = HostRules(), scripts: ScriptPolicy = .none) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("host-\(UUID().uuidString)").path
        let issuer = TestIssuer(
            profiles: [
                IssuerProfile(
                    leadingDigits: "476173", masterKeys: try ChipCard.issuerKeys, cryptogram: .visa18,
                    pin: PIN(ascii: "1234".utf8))
            ], pinKey: try ChipCard.baseDerivationKey, scripts: scripts)
        host = try BenchHost(
            folder: folder, vaultKey: SecretBytes([UInt8](repeating: 0x5A, count: 32)), issuer: issuer, rules: rules)
        try await host.save(BenchTerminal(settings: .bench, secret: Self.secret))
        apiKey = try await host.makeAPIKey(alias: "test", terminals: [Self.terminalID])
    }

    deinit {
        serving.withLock { $0?.cancel() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Begins to serve and returns the port.
    func serve(_ change: (inout BenchHostServer.Configuration) -> Void = { _ in }) async throws -> UInt16 {
        var configuration = BenchHostServer.Configuration()
        configuration.logger = log.logger
        change(&configuration)
        let server = try BenchHostServer(host, configuration)
        self.server.withLock { $0 = server }
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        serving.withLock { serving in
            serving = Task {
                try await server.run { port in
                    continuation.yield(port)
                    continuation.finish()
                }
            }
        }
        for await port in ports { return UInt16(port) }
        throw HostError(.internalError, "the server did not start")
    }

    /// Ends the server, and waits until it has.
    func end() async throws {
        let task = serving.withLock { $0 }
        task?.cancel()
        try await task?.value
    }

    /// An access token, over a connection of its own.
    func token(_ port: UInt16) async throws -> String {
        let client = try RawClient(port)
        client.send(
            "GET /merchant/api/v1/account/authenticate HTTP/1.1\r\nHost: bench\r\nAuthorization: Basic "
                + String(decoding: apiKey.revealed(), as: UTF8.self) + "\r\n\r\n")
        return String(try #require(await client.answer().firstMatch(of: /"token":"([0-9a-f]+)"/)).1)
    }

    func revokeTokens() async { await server.withLock { $0 }?.revokeTokens() }

    func rest(_ port: UInt16, options: ConnectionOptions? = nil) throws -> RESTGateway {
        try RESTGateway(
            GatewayAddress("http://127.0.0.1:\(port)/merchant"),
            account: .init(terminalID: Self.terminalID, apiKey: apiKey),
            options: options ?? self.options)
    }

    /// - Parameter skipped: By how much its clock is ahead.
    func rest(_ port: UInt16, skipped: @escaping @Sendable () -> Duration) throws -> RESTGateway {
        try RESTGateway(
            GatewayAddress("http://127.0.0.1:\(port)/merchant"),
            account: .init(terminalID: Self.terminalID, apiKey: apiKey),
            options: options, now: { .now + skipped() })
    }

    func xml(_ port: UInt16, options: ConnectionOptions? = nil) throws -> XMLGateway {
        try XMLGateway(
            GatewayAddress("http://127.0.0.1:\(port)/merchant"),
            account: .init(terminalID: Self.terminalID, secret: Self.secret),
            options: options ?? self.options
        ) { Timestamp(secondsSince1970: 1_773_057_909) }
    }

    var options: ConnectionOptions {
        ConnectionOptions(answerTimeout: .seconds(20), logger: log.logger)
    }

    /// Every byte of every file of the vault.
    var bytes: Data {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: Data()) {
                $0 += try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $1))
            }
        }
    }
}

/// What loggers were given, at every level.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger {
        var logger = Logger(label: "test") { [self] _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    fileprivate func add(_ line: String) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.add("\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])")
        }
    }
}

/// A chip card that makes real ARQCs, put together by hand (EMV 4.4 Book 2, 8.1).
struct ChipCard {
    /// Published Visa EMV test number.
    static let pan = "4761739001010010"
    var minorUnits: Int64 = 1000

    static var issuerKey: CardKey {
        get throws { try CardKey(SecretBytes([UInt8](hex: "2315208C9110AD402315208C9110AD40")), .tdes) }
    }

    static var issuerKeys: MasterKeySet {
        get throws {
            MasterKeySet(applicationCryptogram: try issuerKey, integrity: try issuerKey, confidentiality: try issuerKey)
        }
    }

    /// Of the PIN pads: the test key of ANSI X9.24-1:2009, annex A.4.
    static var baseDerivationKey: TDESKey {
        get throws { try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210"))) }
    }

    func captured(atc: UInt16, pin: EncipheredPINBlock? = nil) throws -> CapturedCard {
        let digits = String(minorUnits)
        let amount = try [UInt8](hex: String(repeating: "0", count: 12 - digits.count) + digits)
        let counter = [UInt8(atc >> 8), UInt8(atc & 0xFF)]
        let input = try [UInt8](
            hex: amount.hex + "000000000000" + "0056" + "8000048000" + "0978" + "260309" + "00" + "DEADBEEF" + "3C00"
                + counter.hex
                + "06011203A00000")
        let masterKey = try MasterKeyDerivation.optionA.cardMasterKey(
            from: Self.issuerKey, pan: #require(AccountNumber(ascii: Self.pan.utf8)), panSequenceNumber: 1)
        let sessionKey = try SessionKeyDerivation.common.sessionKey(from: masterKey, atc: atc, unpredictableNumber: [])
        var elements = DataElements()
        elements[.amountAuthorised] = amount
        elements[.amountOther] = [0, 0, 0, 0, 0, 0]
        elements[.terminalCountryCode] = [0x00, 0x56]
        elements[.terminalVerificationResults] = [0x80, 0, 0x04, 0x80, 0]
        elements[.transactionCurrencyCode] = [0x09, 0x78]
        elements[.transactionDate] = [0x26, 0x03, 0x09]
        elements[.transactionType] = [0]
        elements[.unpredictableNumber] = [0xDE, 0xAD, 0xBE, 0xEF]
        elements[.applicationInterchangeProfile] = [0x3C, 0x00]
        elements[.applicationTransactionCounter] = counter
        elements[.issuerApplicationData] = try [UInt8](hex: "06011203A00000")
        elements[.cryptogramInformationData] = [0x80]
        elements[.applicationCryptogram] = ApplicationCryptogram.compute(input, sessionKey: sessionKey)
        elements[.panSequenceNumber] = [1]
        return CapturedCard(
            entryMode: .chip, pan: SecretBytes(Self.pan.utf8), expiry: "3112", panSequenceNumber: 1,
            cardholderName: "NAMECANARY/X",
            track2: SecretBytes(try [UInt8](hex: "4761739001010010D31122010000012300000F")),
            chip: ChipData(elements: elements), pin: pin)
    }

    static func pinBlock(_ pin: String) throws -> EncipheredPINBlock {
        let ksn = try [UInt8](hex: "FFFF9876543210E00001")
        let transactionKey = try TDESDUKPT.transactionKey(
            baseDerivationKey: baseDerivationKey, serialNumber: #require(KeySerialNumber(ksn)))
        let account = try #require(AccountNumber(ascii: pan.utf8))
        let clear = try PINBlock.format0(account).encode(#require(PIN(ascii: pin.utf8)))
        let block = try TDESDUKPT.key(for: .pinEncryption, transactionKey: transactionKey).encryptECB(clear.revealed())
        return EncipheredPINBlock(format: .iso0, block: block, ksn: ksn)
    }
}

func keyed(_ pan: String = "5555555555554444", cvv: String? = nil) throws -> PaymentCard {
    .keyed(try details(pan), cvv: cvv.map { SecretBytes($0.utf8) })
}

func details(_ pan: String = "5555555555554444") throws -> CardDetails {
    try CardDetails(
        pan: SecretBytes(pan.utf8), expiry: #require(ExpiryDate(mmyy: "1231")), cardholderName: "NAMECANARY JOE")
}

func swiped(_ pan: String = "5555555555554444", fallback: Bool = false) -> PaymentCard {
    .captured(
        CapturedCard(
            entryMode: fallback ? .stripeFallback : .magneticStripe, pan: SecretBytes(pan.utf8), expiry: "3112",
            track2: SecretBytes("\(pan)=31122010000012300000".utf8)))
}

func request(
    _ order: String, _ amount: String, _ card: PaymentCard, purpose: AuthorizationRequest.Purpose = .sale,
    terms: PaymentTerms = PaymentTerms(), registering reference: String? = nil,
    terminalID: String = HostBench.terminalID,
    processing: AuthorizationRequest.Processing = .online
) throws -> AuthorizationRequest {
    AuthorizationRequest(
        orderID: try OrderID(order), purpose: purpose, processing: processing,
        amount: try Money(parsing: amount, in: .euro),
        timestamp: Timestamp(secondsSince1970: 1_773_057_909), terminalID: terminalID, card: card, terms: terms,
        secureCard: try reference.map { SecureCard(merchantReference: try MerchantReference($0)) })
}

func referenced(_ order: String, of original: String, _ amount: String) throws -> ReferencedRequest {
    ReferencedRequest(
        orderID: try OrderID(order), original: original, amount: try Money(parsing: amount, in: .euro),
        timestamp: Timestamp(secondsSince1970: 1_773_057_999), terminalID: HostBench.terminalID, operatorName: "Jane",
        reason: "returned")
}

func registration(_ reference: String, _ pan: String = "5555555555554444", cvv: String? = nil) throws
    -> SecureCardRegistration
{
    var personal = SecureCard.Details()
    personal.email = "jane@example.org"
    personal.city = "Köln"
    personal.customFields = [CustomField(name: "InvoiceNumber", value: "7")]
    return SecureCardRegistration(
        merchantReference: try MerchantReference(reference), details: personal, card: try details(pan),
        cvv: cvv.map { SecretBytes($0.utf8) })
}

/// The code of the error that `body` throws; nil if it throws none.
func code(_ body: () async throws -> Void) async throws -> HostError.Code? {
    do {
        try await body()
        return nil
    } catch let error as HostError {
        return error.code
    }
}
