import Bytes
import CardCapture
import Testing

@Suite struct SwipeKeyFileTests {
    /// The example keys of ANSI X9.24-1:2009 annex A.4 and X9.24-3:2017 annex B.
    private static let tdes = "0123456789ABCDEFFEDCBA9876543210"
    private static let aes = "FEDCBA9876543210F1F1F1F1F1F1F1F1"

    @Test("keys of both schemes, with comments and empty lines") func keys() throws {
        let opened = try SwipeDecryption(keyFile: "# bench\n\ntdes base \(Self.tdes)\naes base \(Self.aes) # both\n")
        #expect(opened.testOnlyReason == "a key for its swipes is a published example key")
    }

    @Test(
        "a line that is not a key is named by its number",
        arguments: ["tdes base 01", "des base \(tdes)", "tdes \(tdes)", "tdes base 0X"])
    func invalid(_ line: String) {
        #expect(throws: SwipeKeyFileError.invalidLine(2)) { try SwipeDecryption(keyFile: "# keys\n\(line)\n") }
    }

    @Test("a file without keys is an error", arguments: ["", "\n\n", "# tdes base 00112233445566778899AABBCCDDEEFF\n"])
    func empty(_ text: String) { #expect(throws: SwipeKeyFileError.noKeys) { try SwipeDecryption(keyFile: text) } }
}
