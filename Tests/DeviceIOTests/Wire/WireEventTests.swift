import Testing

@testable import DeviceIO

@Suite struct WireEventTests {
    private static let events: [(WireEvent, String)] = [
        (WireEvent(.sent, .stream, bytes: [0x16, 0x47]), "> stream 1647"),
        (WireEvent(.received, .report(2), bytes: [0xFF]), "< report:02 FF"),
        (WireEvent(.received, .feature(0), bytes: []), "< feature:00 "),
        (WireEvent(.sent, .endpoint(0x82), bytes: [0]), "> endpoint:82 00"),
        (
            WireEvent(.sent, .control(USBRequest(.classOfInterface, 0x01, value: 0x0102, index: 3)), bytes: [1]),
            "> control:21:01:0102:0003 01"
        ),
        (
            WireEvent(.received, .control(USBRequest(.vendor, 0xFE, value: 0xFFFF, index: 0)), bytes: [1]),
            "< control:40:FE:FFFF:0000 01"
        ),
    ]

    @Test("events are written and read as lines") func lines() {
        for (event, line) in Self.events {
            #expect("\(event)" == line)
            #expect(WireEvent(line: line) == event)
        }
    }

    @Test("Hidden bytes are shown as points and cannot be played") func hiddenParts() {
        let event = WireEvent(.received, .stream, bytes: [1, 2, 3, 4], hidden: [1..<2, 3..<9])
        #expect("\(event)" == "< stream 01..03..")
        #expect(WireEvent(line: "< stream 01..03..") == nil, "what was not shown cannot be played")
        var dumped = ""
        dump(event, to: &dumped)
        #expect(!dumped.contains("4"))
    }

    @Test(
        "Texts that are not an event are refused",
        arguments: [
            "", ">", "> stream", "> stream 0", "> stream 0G", "? stream 00", ">> stream 00", "> stream 00 ",
            " > stream 00", "> report 00", "> report:100 00", "> report:1:2 00", "> control:21:01:0000 00",
            "> control:22:01:0000:0000 00", "> control:21:100:0000:0000 00", "> stream:1 00", "> endpoint:zz 00",
        ]) func noLine(_ line: String)
    { #expect(WireEvent(line: line) == nil) }
}
