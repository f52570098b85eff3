import ArgumentParser
import BenchHost
import Bytes
import CardCapture
import Console
import Foundation
import PaymentTerminal

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show terminals and transactions of the vault while no server uses it.",
        discussion: """
              cardpresent host inspect
              cardpresent host inspect --order sale-17
              cardpresent host inspect --order sale-17 --signature signature.png

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("Show only this order.", valueName: "order"))
    var order: String?

    @Option(help: ArgumentHelp("The order's terminal, if several have an order with this id.", valueName: "terminal"))
    var terminal: String?

    @Option(help: ArgumentHelp("How many transactions, newest first; 1 to 100.", valueName: "count"))
    var limit: Int = 10

    @Option(help: ArgumentHelp("Write the order's signature to this file, as PNG.", valueName: "file"))
    var signature: String?

    @Flag(help: "As JSON.")
    var json = false

    @OptionGroup var vault: VaultOptions

    func validate() throws {
        if signature != nil, order == nil { throw ValidationError("--signature requires --order") }
        if terminal != nil, order == nil { throw ValidationError("--terminal requires --order") }
        if !(1...100).contains(limit) { throw ValidationError("--limit is a number from 1 to 100") }
    }

    func run() async throws {
        try await reportingErrors {
            let host = try vault.open()
            if let order {
                try await show(try OrderID(order), host)
            } else if json {
                let records = try await host.transactions(TransactionQuery(pageSize: limit)).records
                print(try JSONText.of(VaultDocument(terminals: try await host.terminals(), transactions: records)))
            } else {
                for terminal in try await host.terminals() {
                    let settings = terminal.settings
                    let currencies =
                        settings.currencies.map { currencies in
                            currencies.count == Currency.all.count
                                ? "all currencies" : currencies.map(\.code).joined(separator: ", ")
                        } ?? "no currencies named"
                    print("Terminal \(settings.terminalID), \(settings.merchantName), \(currencies)".onOneLine())
                }
                for record in try await host.transactions(TransactionQuery(pageSize: limit)) {
                    print(Self.line(record))
                }
            }
        }
    }

    private func show(_ order: OrderID, _ host: BenchHost) async throws {
        let terminals = terminal.map { [$0] }
        guard let transaction = try await host.transaction(of: order, for: terminals) else {
            if case .reversed = try await host.status(of: order, for: terminals) {
                return print(
                    json
                        ? try JSONText.of(RefusedOrderDocument(order: order.text))
                        : "Reversed before it arrived: it is refused.")
            }
            printError("order \(order) not found")
            throw ExitCode(ExitStatus.negative)
        }
        let record = transaction.record
        if let signature { try write(transaction.signature, of: order, to: signature) }
        guard !json else {
            let cryptogram = try await host.finalCryptogram(of: order, for: terminals)
            return print(try JSONText.of(OrderDocument(transaction, lastCryptogram: cryptogram)))
        }
        print(Self.line(record))
        print(
            "  terminal \(transaction.terminalID), answer \(transaction.answer.issuer.responseCode) \(transaction.answer.message)"
                .onOneLine())
        if let code = record.approvalCode { print("  approval code \(code)") }
        if let original = record.original { print("  of \(original)") }
        if let refunded = record.refundedAmount { print("  refunded \(refunded)") }
        if let reason = record.reversalReason { print("  reversed: \(reason.rawValue)") }
        if let signature = transaction.signature { print("  signed, \(signature.strokes.count) strokes") }
        if let cryptogram = try await host.finalCryptogram(of: order, for: terminals) {
            print("  last cryptogram \(cryptogram.hex)")
        }
    }

    private func write(_ signature: Signature?, of order: OrderID, to path: String) throws {
        guard let signature else {
            printError("order \(order) has no signature")
            throw ExitCode(ExitStatus.negative)
        }
        do throws(InputError) {
            try OutputFile.replace(path, with: signature.png)
        } catch {
            throw InputError("\(path) cannot be written: choose a folder that exists and may be written (\(error))")
        }
    }

    private static func line(_ record: TransactionRecord) -> String {
        // An older vault may have what is refused today.
        [
            record.timestamp?.description ?? "-", record.orderID.text, record.uniqueReference, record.kind.rawValue,
            record.state.rawValue,
            record.amount?.description ?? "-", record.maskedPAN ?? "-",
        ].joined(separator: "  ").onOneLine()
    }
}
