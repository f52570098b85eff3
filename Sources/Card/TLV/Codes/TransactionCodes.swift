/// The meanings of the short codes of terminals, issuers and cards.
enum TransactionCodes {
    /// The first two digits of the processing code of ISO 8583:1987, tag `9C`.
    static func transactionType(_ code: UInt8) -> String? {
        switch code {
        case 0x00: "purchase of goods or services"
        case 0x01: "cash withdrawal"
        case 0x02: "adjustment, debit"
        case 0x09: "purchase with cashback"
        case 0x17: "manual cash"
        case 0x20: "refund"
        case 0x21: "deposit"
        case 0x22: "adjustment, credit"
        case 0x30: "available funds inquiry"
        case 0x31: "balance inquiry"
        case 0x40: "cardholder account transfer"
        default: nil
        }
    }

    /// EMV 4.4 Book 4, annex A1, tag `9F35`: who operates the terminal, then whether it is attended
    /// and how it reaches the host.
    static func terminalType(_ code: UInt8) -> String? {
        let operators = ["operated by a financial institution", "operated by a merchant", "operated by the cardholder"]
        let reach = ["online only", "offline with online capability", "offline only"]
        let (first, second) = (Int(code >> 4), Int(code & 0x0F))
        guard (1...3).contains(first), (1...6).contains(second), first != 3 || second > 3 else { return nil }
        return "\(second > 3 ? "unattended" : "attended"), \(reach[(second - 1) % 3]), \(operators[first - 1])"
    }

    /// EMV 4.4 Book 3, annex G, table 56, tag `5F57`.
    static func accountType(_ code: UInt8) -> String? {
        switch code {
        case 0x00: "default"
        case 0x10: "savings"
        case 0x20: "cheque or debit"
        case 0x30: "credit"
        default: nil
        }
    }

    /// Tag `8A`: those that the terminal sets itself (EMV 4.4 Book 4, annex A6), and the most
    /// common of ISO 8583.
    static func responseCode(_ code: String) -> String? {
        switch code {
        case "Y1": "offline approved"
        case "Z1": "offline declined"
        case "Y3": "unable to go online, offline approved"
        case "Z3": "unable to go online, offline declined"
        case "00": "approved"
        case "01", "02": "referral: call the issuer"
        case "03": "invalid merchant"
        case "04": "pick up the card"
        case "05": "do not honour"
        case "08": "approved with identification"
        case "10": "approved for a part of the amount"
        case "11": "approved, VIP"
        case "12": "invalid transaction"
        case "13": "invalid amount"
        case "14": "invalid card number"
        case "30": "format error"
        case "41": "lost card: pick up"
        case "43": "stolen card: pick up"
        case "51": "insufficient funds"
        case "54": "expired card"
        case "55": "wrong PIN"
        case "57": "transaction not permitted to cardholder"
        case "58": "transaction not permitted to terminal"
        case "61": "exceeds withdrawal limit"
        case "62": "restricted card"
        case "65": "exceeds withdrawal frequency, or PIN required"
        case "75": "PIN tries exceeded"
        case "91": "issuer or switch inoperative"
        case "96": "system malfunction"
        default: nil
        }
    }

    /// ISO/IEC 7813, tag `5F30`: three digits of the stripe.
    static func serviceCode(_ value: [UInt8]) -> [String] {
        guard value.count == 2, value[0] < 0x10 else { return [] }
        let interchange: [UInt8: String] = [
            1: "international", 2: "international, use the chip", 5: "national", 6: "national, use the chip",
            7: "by agreement only", 9: "test",
        ]
        let authorisation: [UInt8: String] = [
            0: "normal authorisation", 2: "authorised by the issuer", 4: "authorised by the issuer unless agreed",
        ]
        let services: [UInt8: String] = [
            0: "no restrictions, PIN required", 1: "no restrictions", 2: "goods and services only",
            3: "ATM only, PIN required",
            4: "cash only",
            5: "goods and services only, PIN required", 6: "no restrictions, PIN where feasible",
            7: "goods and services only, PIN where feasible",
        ]
        let words = [interchange[value[0]], authorisation[value[1] >> 4], services[value[1] & 0x0F]]
        return [words.map { $0 ?? "reserved" }.joined(separator: "; ")]
    }
}
