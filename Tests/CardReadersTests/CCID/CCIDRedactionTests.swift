import CardCapture
import CardReaders
import DeviceIO
import Testing

/// What goes between reader and card stands after the ten bytes of a message's header (USB CCID
/// 1.1, 6.1.4, 6.1.11 and 6.2.1).
@Suite struct CCIDRedactionTests {
    private func hidden(_ direction: WireEvent.Direction, _ bytes: [UInt8]) -> [Range<Int>] {
        CCIDRedaction.redaction(direction, .endpoint(direction == .sent ? 0x02 : 0x82), bytes)
    }

    @Test(arguments: [
        (WireEvent.Direction.sent, UInt8(0x6F)), (.sent, 0x69), (.sent, 0x6B), (.received, 0x80), (.received, 0x83),
    ])
    func whatIsExchangedIsHidden(_ direction: WireEvent.Direction, _ kind: UInt8) {
        #expect(hidden(direction, [kind, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0x5A, 0x02, 0x47, 0x61]) == [10..<14])
        #expect(hidden(direction, [kind, 0, 0, 0, 0, 0, 1, 0, 0, 0]) == [])
    }

    @Test func everythingElseIsShown() {
        #expect(hidden(.sent, [0x62, 0, 0, 0, 0, 0, 1, 1, 0, 0]) == [])
        #expect(hidden(.sent, [0x61, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0x11, 0, 0, 10, 0]) == [])
        #expect(hidden(.received, [0x50, 0x03]) == [])
    }

    /// A transfer that does not begin like a message is the rest of one.
    @Test func theRestOfAMessageIsHidden() {
        #expect(hidden(.received, [0x47, 0x61, 0x73]) == [0..<3])
    }
}
