import Bytes
import CardCapture
import Foundation
import JSONDocument
import PaymentTerminal
import Testing

@testable import WorldNet

@Suite("Fields of the gateway's messages") struct FieldTests {
    @Test("DATETIME by the terminal's clock, as in a recorded request") func gatewayDate() {
        #expect(GatewayDate.text(Timestamp(secondsSince1970: 1_481_371_200)) == "10-12-2016:12:00:00:000")
        #expect(
            GatewayDate.text(Timestamp(secondsSince1970: 1_481_371_200, utcOffset: 3600)) == "10-12-2016:13:00:00:000")
        #expect(GatewayDate.timestamp("10-12-2016:12:00:00:123")?.secondsSince1970 == 1_481_371_200)
        for text in [
            "", "10-12-2016", "31-02-2016:12:00:00:000", "10-12-2016:24:00:00:000", "10-12-2016:12:00:00:0x0",
            "+1-12-2016:12:00:00:000",
        ] {
            #expect(GatewayDate.timestamp(text) == nil)
        }
    }

    /// Foundation's calendar is the second opinion.
    @Test("days and leap days from 1583 to 9999") func calendar() throws {
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for step in stride(from: Int64(-12_212_553_600), to: 253_370_764_800, by: 86_400 * 397 + 12_345) {
            let parts = utc.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(step)))
            let moment = CivilTime(step)
            #expect(
                [moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second]
                    == [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second])
            #expect(moment.seconds == step)
        }
    }

    /// The first is the answer published in the gateway's REST how-to.
    @Test(
        "ISO 8601 with offsets",
        arguments: [
            ("2022-09-05T11:08:59.417-04:00", Int64(1_662_390_539), -14_400),
            ("2022-09-05T15:08:59Z", 1_662_390_539, 0),
            ("2022-09-05T15:08:59", 1_662_390_539, 0), ("2022-09-05T20:38:59+05:30", 1_662_390_539, 19_800),
        ])
    func isoDate(_ text: String, _ seconds: Int64, _ offset: Int) {
        let timestamp = Timestamp(secondsSince1970: seconds, utcOffset: offset)
        #expect(ISODate.timestamp(text) == timestamp)
        #expect(ISODate.timestamp(ISODate.text(timestamp)) == timestamp)
    }

    @Test(
        "no moments",
        arguments: [
            "", "2022-09-05", "2022-13-05T11:08:59", "2022-09-05T11:08:59+1:00", "2022-09-05 11:08:59",
            "2022-09-05T11:08:59Zx",
        ])
    func noISODate(_ text: String) { #expect(ISODate.timestamp(text) == nil) }

    @Test(
        "amounts are numbers without binary fractions",
        arguments: [
            ("10.50", "10.50"), ("5.0", "5.00"), ("5", "5.00"), ("10.500", "10.50"), ("0.07", "0.07"),
        ])
    func amount(_ digits: String, _ decimal: String) throws {
        #expect(JSON.number(digits).money(in: .usDollar)?.decimal == decimal)
    }

    @Test("no amounts", arguments: ["10.505", "1e2", "-1.00", "10.5.0"])
    func noAmount(_ digits: String) { #expect(JSON.number(digits).money(in: .usDollar) == nil) }

    /// The published example: a plus sign of 40 by 40 pixels.
    @Test("signatures: four characters a point, base 28") func signature() throws {
        let strokes = try #require(SignatureStrokes("4i1m621m00005a125a2e"))
        #expect(
            strokes.strokes == [
                [.init(x: 130, y: 50), .init(x: 170, y: 50)], [.init(x: 150, y: 30), .init(x: 150, y: 70)],
            ])
        #expect(strokes.text == "4i1m621m00005a125a2e")
        for text in ["", "4i1", "4s1m", "zzzz", "ak00", "0000", String(repeating: "4i1m", count: 401)] {
            #expect(SignatureStrokes(text) == nil, "\(text.prefix(8))")
        }
        #expect(SignatureStrokes([[.init(x: 300, y: 0)]]) == nil)
        #expect(SignatureStrokes([[.init(x: 0, y: 100)]]) == nil)
    }

    @Test("what a pad sends fits the message: its edges, its corner, more points and strokes than there is room for")
    func signatureOfAPad() throws {
        let edges = try #require(Signature(strokes: [[.init(x: 0, y: 0), .init(x: 300, y: 100)]]))
        #expect(SignatureStrokes(edges).strokes == [[.init(x: 1, y: 0), .init(x: 299, y: 99)]])
        let line = (0..<3000).map { Signature.Point(x: 1 + $0 / 20, y: 50) }
        let long = SignatureStrokes(try #require(Signature(strokes: [line, Array(line.prefix(3))])))
        #expect(long == SignatureStrokes(long.text))
        #expect(long.text.utf8.count <= 1600)
        #expect(long.strokes.map(\.first) == [line[0], line[0]] && long.strokes.map(\.last) == [line[2999], line[2]])
        let many = SignatureStrokes(try #require(Signature(strokes: (0..<2000).map { _ in Array(line.prefix(5)) })))
        #expect(many == SignatureStrokes(many.text))
        #expect(many.strokes.count == 100)
        #expect(SignatureStrokes("4i1m")?.signature == nil, "a dot is not a signature")
    }
}
