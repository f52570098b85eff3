public import Bytes

/// The card numbers that card schemes and gateways publish for tests, which belong to no
/// cardholder. The bench accepts them, and virtual cards use them.
public enum TestCardNumbers {
    /// - Parameter pan: ASCII digits.
    public static func contains(_ pan: SecretBytes) -> Bool {
        var digits = pan.revealed()
        defer { wipe(&digits) }
        return issuers.contains { digits.starts(with: $0.utf8) } || numbers.contains { digits.elementsEqual($0.utf8) }
    }

    /// Prefixes of numbers that are all test cards.
    private static let issuers = [
        // Visa and Mastercard EMV test cards of the personalization labs, from published
        // transaction logs and test tools.
        "476134", "476173", "541333",
        // Cardinal's 3-D Secure test cases: Visa and Mastercard numbers that differ in the last six
        // digits.
        "4000000000001", "4000000000002", "5200000000001", "5200000000002",
    ]

    /// Single numbers, from the test card pages of WorldNet, Adyen, Stripe, PayPal, Opayo, Fat
    /// Zebra and Cybersource (the last one: UnionPay and Visa on one card).
    private static let numbers = [
        "4000060000000006", "4111111111111111", "4012888888881881", "4242424242424242", "4917300000000008",
        "5555555555554444", "5105105105105100", "2223000048400011", "2223003122003222", "374245455400126",
        "378282246310005", "371449635398431", "6011111111111117", "6011000990139424", "3530111333300000",
        "3566002020360505", "30569309025904", "38520000023237", "6759649826438453", "6212345678901232",
        "6250946000000016", "4427802641004797",
    ]
}
