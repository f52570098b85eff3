import Printing
import Testing

/// Bits of Epson's ESC/POS Command Reference (DLE EOT, GS a) and Star's Command Specifications.
@Suite("What printers say of themselves") struct PrinterStatusTests {
    /// Typical bytes of the references: online 12, offline 1A; paper 12, near end 1E, out 72 or 7E.
    @Test func realTime() throws {
        let online = try #require(PrinterStatus(realTime: 0x12, to: .printer))
        #expect(online.isOffline == false)
        #expect(online.drawerSwitch == .low)
        #expect(PrinterStatus(realTime: 0x1A, to: .printer)?.isOffline == true)
        #expect(PrinterStatus(realTime: 0x16, to: .printer)?.drawerSwitch == .high)
        #expect(PrinterStatus(realTime: 0x12, to: .paper)?.paper == .good)
        #expect(PrinterStatus(realTime: 0x1E, to: .paper)?.paper == .nearEnd)
        #expect(PrinterStatus(realTime: 0x72, to: .paper)?.paper == .end)
        #expect(PrinterStatus(realTime: 0x7E, to: .paper)?.paper == .end)
        #expect(PrinterStatus(realTime: 0x16, to: .offlineCause)?.isCoverOpen == true)
        #expect(PrinterStatus(realTime: 0x32, to: .offlineCause)?.paper == .end)
        #expect(PrinterStatus(realTime: 0x1A, to: .error)?.faults == [.cutter])
        #expect(PrinterStatus(realTime: 0x32, to: .error)?.faults == [.unrecoverable])
        #expect(PrinterStatus(realTime: 0x52, to: .error)?.faults == [.hot])
    }

    @Test(
        "A byte with wrong fixed bits is no answer",
        arguments: [0x00, 0x10, 0x11, 0x13, 0x92, 0x02, 0xFF, 0x23] as [UInt8])
    func fixedBits(_ byte: UInt8) {
        for request in PrinterStatus.RealTimeRequest.allCases {
            #expect(PrinterStatus(realTime: byte, to: request) == nil)
        }
    }

    @Test func automatic() throws {
        let good = try #require(PrinterStatus(automatic: [0x10, 0, 0, 0]))
        #expect(good.obstacle == nil)
        #expect(good.paper == .good)
        #expect(PrinterStatus(automatic: [0x38, 0, 0x0C, 0])?.obstacle == .coverOpen)
        #expect(PrinterStatus(automatic: [0x18, 0, 0x0C, 0])?.obstacle == .outOfPaper)
        #expect(PrinterStatus(automatic: [0x10, 0, 0x03, 0])?.paper == .nearEnd)
        #expect(PrinterStatus(automatic: [0x18, 0x08, 0, 0])?.obstacle == .operation(.cutter))
        #expect(PrinterStatus(automatic: [0x18, 0, 0, 0])?.obstacle == .notConnected)
        #expect(PrinterStatus(automatic: [0x12, 0, 0, 0]) == nil)
        #expect(PrinterStatus(automatic: [0x10, 0, 0]) == nil)
    }

    /// `23 86`: nine bytes, version 3, as a TSP650II sends it.
    @Test func star() throws {
        let good = try #require(PrinterStatus(star: [0x23, 0x86, 0, 0, 0, 0, 0, 0, 0]))
        #expect(good.obstacle == nil)
        #expect(PrinterStatus(star: [0x23, 0x86, 0x28, 0, 0, 0, 0, 0, 0])?.obstacle == .coverOpen)
        #expect(PrinterStatus(star: [0x23, 0x86, 0x08, 0, 0, 0x08, 0, 0, 0])?.obstacle == .outOfPaper)
        #expect(PrinterStatus(star: [0x23, 0x86, 0x04, 0, 0, 0x04, 0, 0, 0])?.paper == .nearEnd)
        #expect(PrinterStatus(star: [0x23, 0x86, 0x04, 0, 0, 0, 0, 0, 0])?.drawerSwitch == .high)
        #expect(PrinterStatus(star: [0x23, 0x86, 0x08, 0x08, 0, 0, 0, 0, 0])?.obstacle == .operation(.cutter))
        #expect(PrinterStatus(star: [0x23, 0x86, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(PrinterStatus(star: [0x12]) == nil)
    }

    @Test("Messages in parts of any size, among bytes that are none") func decoder() throws {
        var decoder = StatusDecoder(.escPOS)
        #expect(decoder.request() == [0x10, 0x04, 1, 0x10, 0x04, 2, 0x10, 0x04, 3, 0x10, 0x04, 4])
        var bytes: [UInt8] = [0x00, 0xFF, 0x12, 0x10, 0x00, 0x00, 0x00, 0x12, 0x12]
        bytes += [0x37, 0x22] + Array("0A2F".utf8) + [0x00, 0x1E]
        var messages: [StatusDecoder.Message] = []
        for byte in bytes { messages += decoder.receive([byte]) }
        #expect(!decoder.isWaiting)
        #expect(messages.contains(.end(0x0A2F)))
        let last = try #require(messages.last)
        guard case .status(let status) = last else {
            Issue.record("no status: \(last)")
            return
        }
        #expect(status.paper == .nearEnd)
        #expect(status.obstacle == nil)
        var whole = StatusDecoder(.escPOS)
        _ = whole.request()
        #expect(whole.receive(bytes) == messages)
    }

    /// python-escpos issue 434: a Star printer read with ESC/POS bits is always offline.
    @Test("A printer of the other language is told apart") func otherLanguage() {
        var escPOS = StatusDecoder(.escPOS)
        _ = escPOS.request()
        #expect(escPOS.receive([0x23, 0x86, 0, 0, 0, 0, 0, 0, 0]).contains(.otherLanguage))
        var star = StatusDecoder(.starPRNT)
        _ = star.request()
        #expect(star.receive([0x12]) == [.otherLanguage])
    }

    @Test("Star's counter says which document it counted") func counter() {
        var star = StatusDecoder(.starLine)
        #expect(star.receive([0x1B, 0x1D, 0x03, 0x01, 0x2F, 0x0A, 0x07, 0x00]) == [.end(0x0A2F)])
        #expect(star.receive([0x1B, 0x1D, 0x04, 0x01, 0x2F, 0x0A, 0x07, 0x00]) == [])
    }
}
