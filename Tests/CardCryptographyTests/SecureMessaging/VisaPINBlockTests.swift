import Bytes
import CardCryptography
import Testing

/// Expected: the example of pyemv's `sm.format_vis_pin_block`, and its combination with the digits
/// of PIN 8888.
@Suite struct VisaPINBlockTests {
    private let key: TDESKey
    private let pin: PIN
    private let current: PIN

    init() throws {
        key = try TDESKey(secret("0123456789ABCDEFFEDCBA9876543210"))
        pin = try #require(PIN(ascii: "1234".utf8))
        current = try #require(PIN(ascii: "8888".utf8))
    }

    @Test func newPIN() throws {
        let block = VisaPINBlock.encode(pin, cardKey: key)
        #expect(block.exposed.hex == "041234FF76543210")
        #expect(try VisaPINBlock.decode(block, cardKey: key) == pin)
    }

    @Test func newPINWithTheCurrentOne() throws {
        let block = VisaPINBlock.encode(pin, replacing: current, cardKey: key)
        #expect(block.exposed.hex == "8C9A34FF76543210")
        #expect(try VisaPINBlock.decode(block, replacing: current, cardKey: key) == pin)
        #expect(throws: PINBlockError.malformed) { try VisaPINBlock.decode(block, cardKey: key) }
    }

    @Test func refusesOtherBlocks() throws {
        #expect(throws: PINBlockError.length(count: 7, expected: 8)) {
            try VisaPINBlock.decode(secret("041234FF765432"), cardKey: key)
        }
        for block in ["141234FF76543210", "031234FF76543210", "041234FF76543211", "041A34FF76543210"] {
            #expect(throws: PINBlockError.malformed) { try VisaPINBlock.decode(secret(block), cardKey: key) }
        }
    }
}
