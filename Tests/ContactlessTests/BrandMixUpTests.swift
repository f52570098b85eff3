import Contactless
import Testing

/// Numbers of one payment system under the application of another.
@Suite struct BrandMixUpTests {
    private static let visa: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x03]
    private static let mastercard: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x04]

    @Test(arguments: [
        ("4761739001010119", false, true), ("5413330089600119", true, false), ("2221000000000009", true, false),
        ("2720990000000007", true, false),
        // Neither's own: Maestro, UnionPay, and the numbers beside Mastercard's.
        ("6799998900000060015", false, false), ("6210947000000021", false, false), ("2220999999999999", false, false),
        ("2721000000000000", false, false), ("5600000000000000", false, false), ("5000000000000000", false, false),
    ])
    func numbersOfTheOtherSystem(_ pan: String, underVisa: Bool, underMastercard: Bool) {
        #expect(BrandMixUp.contradicts(pan: Array(pan.utf8), applicationProvider: Self.visa) == underVisa)
        #expect(BrandMixUp.contradicts(pan: Array(pan.utf8), applicationProvider: Self.mastercard) == underMastercard)
        #expect(!BrandMixUp.contradicts(pan: Array(pan.utf8), applicationProvider: [0xA0, 0x00, 0x00, 0x00, 0x25]))
    }
}
