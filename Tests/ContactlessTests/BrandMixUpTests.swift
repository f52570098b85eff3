import Bytes
import Contactless
import Testing

/// Numbers of one payment system under the application of another.
@Suite struct BrandMixUpTests {
    private static let visa: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x03]
    private static let mastercard: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x04]

    @Test(arguments: [
        ("4761739001010119", false, true), ("5413330089600119", true, false), ("2221000000000009", true, false),
        ("2720990000000007", true, false),
        // Maestro, with which the attack was shown, too.
        ("6799998900000060015", true, false), ("5018000000000009", true, false), ("5893000000000003", true, false),
        ("6304000000000000", true, false), ("6390000000000002", true, false),
        // Neither's own: UnionPay, Discover, and the numbers beside Mastercard's.
        ("6210947000000021", false, false), ("6011111111111117", false, false), ("2220999999999999", false, false),
        ("2721000000000000", false, false), ("5900000000000000", false, false), ("4999000000000000", false, true),
    ])
    func numbersOfTheOtherSystem(_ pan: String, underVisa: Bool, underMastercard: Bool) {
        #expect(BrandMixUp.contradicts(pan: SecretBytes(pan.utf8), applicationProvider: Self.visa) == underVisa)
        #expect(
            BrandMixUp.contradicts(pan: SecretBytes(pan.utf8), applicationProvider: Self.mastercard) == underMastercard)
        #expect(
            !BrandMixUp.contradicts(pan: SecretBytes(pan.utf8), applicationProvider: [0xA0, 0x00, 0x00, 0x00, 0x25]))
    }
}
