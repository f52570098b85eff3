import ArgumentParser
import Bytes
import Console
import PaymentTerminal
import Receipts
import TLV
import TerminalMessages

extension PaymentResponse {
    /// Whether the shop may hand over the goods: the whole amount was approved, or is stored until
    /// the host can be reached.
    var isAccepted: Bool { outcome == .approved || outcome == .storedOffline }

    /// Shows the receipt, the host's reference, the outcome, and what was kept.
    ///
    /// - Throws: The exit status, unless the merchant has what he asked for.
    func show(asJSON: Bool) throws {
        if asJSON {
            JSONText.show(TerminalMessage(.payment(self)).json)
        } else {
            print(receipt.text(for: .merchant))
            if let uniqueReference { print("Reference \(uniqueReference)") }
            print(description)
            for (tag, value) in storedOnCard { print("Data storage \(tag) \(value)") }
            if let secureCardReference { print("Token \(secureCardReference)") }
        }
        if !isAccepted { throw ExitCode(ExitStatus.negative) }
    }

    /// The results of data storage, in hexadecimal digits with card numbers masked; empty for a
    /// terminal without it.
    private var storedOnCard: [(tag: Tag, value: String)] {
        guard let emvTags, let bytes = try? [UInt8](hex: emvTags), let elements = try? DataElements(parsing: bytes)
        else { return [] }
        return elements.storageResultTags.compactMap { tag in
            elements[tag].map { (tag, CardNumberScan.maskedHex($0)) }
        }
    }
}
