import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardReaders
import Contactless
import EMVKernel
import Foundation
import Gateways
import KernelDoubles
import Kernels
import PaymentTerminal
import TerminalFiles
import TerminalJournal

/// A sale as a shop makes it: a reader on a serial port, our kernels, a journal in a file, a
/// gateway behind TLS.
struct LaneSale {
    enum Way: String, CaseIterable {
        /// A chip in the contacts of a GemPC Twin, over the REST interface.
        case contacts
        /// A tap at a PN532, over the REST interface.
        case field
        /// A number from standard input, over the XML interface, which has no chips.
        case keyed
        /// No sale: a number from standard input that is kept in each form.
        case kept
    }

    let way: Way
    let folder: String
    let port: String
    let chain: String
    let apiKey: String
    let device: String
    let modulus: String

    /// - Returns: The terminal after its sale.
    func perform() async throws -> Terminal {
        let journal = try await SQLiteJournal.open(
            folder: folder, key: JournalKey.bytes(SecretBytes([UInt8](repeating: 9, count: 32))))
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: HostSettings.bench.terminalID, currency: .euro, mode: .test)
        configuration.limits.retry = .seconds(3600)
        let terminal = Terminal(configuration: configuration, host: try gateway(), journal: journal)
        if let reader = try reader() { try await terminal.connect(reader) }
        let response = try await terminal.processSale(
            Sale(
                orderID: OrderID("O" + String(UInt64.random(in: 0...UInt64.max), radix: 36)),
                amount: Money(minorUnits: 12_34, currency: .euro), source: source()))
        print("done \(response.outcome)")
        fflush(nil)
        return terminal
    }

    /// The number on standard input.
    static func digits() -> [UInt8] {
        var digits = [UInt8](repeating: 0, count: 16)
        return unsafe read(0, &digits, digits.count) == digits.count ? digits : []
    }

    private func source() throws -> Sale.Source {
        guard way == .keyed else { return .reader }
        var digits = Self.digits()
        defer { wipe(&digits) }
        guard let expiry = ExpiryDate(mmyy: "1231") else { throw CardDetailsError.expiry }
        return .keyed(try CardDetails(pan: SecretBytes(digits), expiry: expiry), cvv: nil)
    }

    private func gateway() throws -> any PaymentHost {
        let address = try GatewayAddress("https://127.0.0.1:\(port)/merchant")
        let options = ConnectionOptions(
            connectTimeout: .seconds(20), answerTimeout: .seconds(60), trustedCertificates: chain)
        let terminalID = HostSettings.bench.terminalID
        guard way == .keyed else {
            return try RESTGateway(
                address, account: .init(terminalID: terminalID, apiKey: SecretBytes(apiKey.utf8)), options: options)
        }
        return try XMLGateway(
            address, account: .init(terminalID: terminalID, secret: LaneHost.secret), options: options
        ) { .now() }
    }

    private func reader() throws -> (any CardReader)? {
        guard way == .contacts || way == .field else { return nil }
        let key = try RSAPublicKey(modulus: [UInt8](hex: modulus), exponent: [3])
        let authority = CAPublicKey(rid: [0xA0, 0, 0, 0, 0x03], index: 0xE0, key: key, isTest: true)
        let kernel = TerminalConfiguration.attended(countryCode: 276, applications: [.visa], caKeys: [authority])
        guard way == .field else {
            return ChipReader(
                slot: try GemPCTwinReader(path: device), kernel: ContactKernel(kernel), cardholder: FirstChoice())
        }
        let limits = TransactionLimits(transactionLimit: 250_01, floorLimit: 0, cvmRequiredLimit: 50_00)
        return ContactlessReader(
            slot: try PN53xReader(path: device),
            configuration: EntryPointConfiguration(terminal: kernel, combinations: [.visa(limits: limits)]),
            cardholder: FirstChoice())
    }
}
