import Bytes
import Kernels
import PaymentTerminal
import TLV

/// The answer to a sale, for JSON. The card number is masked.
struct SaleDocument: Encodable {
    let outcome: String
    let order, description: String
    let amount, currency, responseCode, approvalCode, uniqueReference, card, token, hostFault: String?
    let dataStorage: [String: String]?

    init(_ response: PaymentResponse) {
        outcome =
            switch response.outcome {
            case .approved: "approved"
            case .partiallyApproved: "partiallyApproved"
            case .declined: "declined"
            case .reversed: "reversed"
            case .storedOffline: "storedOffline"
            case .unknown: "unknown"
            }
        order = response.orderID.text
        amount = response.authorizedAmount?.decimal
        currency = response.authorizedAmount?.currency.code
        description = response.description
        responseCode = response.responseCode
        approvalCode = response.approvalCode
        uniqueReference = response.uniqueReference
        card = response.card?.maskedPAN
        token = response.secureCardReference.map { "\($0)" }
        hostFault = response.hostFault?.rawValue
        let stored = response.storedOnCard
        dataStorage = stored.isEmpty ? nil : Dictionary(stored.map { ($0.tag.description, $0.value) }) { $1 }
    }
}

extension PaymentResponse {
    /// Whether the shop may hand over the goods: the whole amount was approved, or is stored until
    /// the host can be reached.
    var isAccepted: Bool { outcome == .approved || outcome == .storedOffline }

    /// The results of data storage, in hexadecimal digits with card numbers masked; empty for a
    /// terminal without it.
    var storedOnCard: [(tag: Tag, value: String)] {
        guard let emvTags, let bytes = try? [UInt8](hex: emvTags), let elements = try? DataElements(parsing: bytes)
        else { return [] }
        return elements.storageResultTags.compactMap { tag in
            elements[tag].map { (tag, CardNumberScan.maskedHex($0)) }
        }
    }
}
