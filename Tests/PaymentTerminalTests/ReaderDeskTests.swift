import CardCapture
import SmartCard
import Testing

@testable import PaymentTerminal

/// From no reader to a connected one, its loss and its return: as values, without tasks.
@Suite struct ReaderDeskTests {
    private let reader = FakeReader(obedient: chipCard())

    private func info(_ name: String) -> ReaderInfo {
        ReaderInfo(name: name, capabilities: .contactChip, identity: ReaderIdentity(maker: "Acme"))
    }

    private func attached(_ name: String = "first") -> ReaderDesk {
        var desk = ReaderDesk()
        desk.attach(reader, info(name))
        return desk
    }

    private func refusal(_ desk: ReaderDesk) -> String? {
        do throws(TerminalError) {
            _ = try desk.readerForCard()
            return nil
        } catch {
            #expect(error.code == .readerNotConnected)
            return error.message
        }
    }

    @Test("a reader is opened, connected, lost, back and released") func life() {
        var desk = ReaderDesk()
        #expect(desk.state == .none)
        #expect(desk.reader == nil)
        #expect(refusal(desk) != nil)
        _ = desk.beginOpening(info("first"))
        #expect(desk.state == DeviceState(connection: .connecting, reader: info("first")))
        #expect(refusal(desk) != nil)
        desk.attach(reader, info("first"))
        #expect(desk.state == DeviceState(connection: .connected, reader: info("first")))
        #expect(refusal(desk) == nil)
        #expect(desk.take(.reconnecting) == nil)
        #expect(desk.state.connection == .reconnecting)
        #expect(desk.take(.connected) == nil)
        #expect(desk.state.connection == .connected)
        let lost = desk.take(.disconnected(.unplugged))
        #expect(lost?.isConnected == false)
        #expect(lost?.reader.name == "first")
        #expect(desk.state.connection == .lost(.unplugged))
        #expect(desk.take(.disconnected(.silent)) == nil)
        #expect(desk.state.connection == .lost(.unplugged))
        #expect(desk.take(.connected)?.isConnected == true)
        #expect(desk.state.connection == .connected)
        #expect(desk.release()?.name == "first")
        #expect(desk.state == .none)
        #expect(desk.reader == nil)
        #expect(desk.release() == nil)
        // Events that are still on their way.
        #expect(desk.take(.connected) == nil)
        #expect(desk.take(.disconnected(.closed)) == nil)
        #expect(desk.state == .none)
    }

    @Test("a lost reader is not released, and cannot be announced as gone a second time") func releasedAfterLoss() {
        var desk = attached()
        _ = desk.take(.disconnected(.unplugged))
        #expect(desk.release() == nil)
        #expect(desk.state == .none)
    }

    @Test(
        "a card goes to a reader that may be tried again, and not to one that somebody must plug in",
        arguments: [
            (ReaderEvent.DisconnectReason.unplugged, false), (.closed, false), (.silent, true),
            (.failed(.timedOut), true),
        ])
    func forCard(_ reason: ReaderEvent.DisconnectReason, _ isTried: Bool) {
        var desk = attached()
        _ = desk.take(.disconnected(reason))
        #expect((refusal(desk) == nil) == isTried)
    }

    @Test("a reader that cannot be opened leaves the lost one as it was") func failed() {
        var desk = attached()
        _ = desk.take(.disconnected(.unplugged))
        let attempt = desk.beginOpening(info("second"))
        #expect(desk.state.reader?.name == "second")
        #expect(desk.state.connection == .connecting)
        desk.failOpening(attempt)
        #expect(desk.state == DeviceState(connection: .lost(.unplugged), reader: info("first")))
    }

    @Test("of two attempts the last is shown, and the end of one does not end the other", arguments: [true, false])
    func twoAttempts(_ firstFailsFirst: Bool) {
        var desk = ReaderDesk()
        let (first, second) = (desk.beginOpening(info("first")), desk.beginOpening(info("second")))
        #expect(desk.state.reader?.name == "second")
        desk.failOpening(firstFailsFirst ? first : second)
        #expect(desk.state == DeviceState(connection: .connecting, reader: info(firstFailsFirst ? "second" : "first")))
        desk.failOpening(firstFailsFirst ? second : first)
        #expect(desk.state == .none)
    }

    @Test("an attempt that fails after another reader was connected changes nothing") func lateFailure() {
        var desk = ReaderDesk()
        let attempt = desk.beginOpening(info("first"))
        desk.attach(reader, info("second"))
        desk.failOpening(attempt)
        #expect(desk.state == DeviceState(connection: .connected, reader: info("second")))
    }

    /// The driver of the lost reader still sends its events.
    @Test("a lost reader that comes back is not taken for the one that is being opened") func back() {
        var desk = attached()
        _ = desk.take(.disconnected(.silent))
        let attempt = desk.beginOpening(info("second"))
        let change = desk.take(.connected)
        #expect(change?.reader.name == "first")
        #expect(change?.isConnected == true)
        #expect(desk.state == DeviceState(connection: .connecting, reader: info("second")))
        #expect(refusal(desk) != nil)
        desk.failOpening(attempt)
        #expect(desk.state == DeviceState(connection: .connected, reader: info("first")))
        #expect(refusal(desk) == nil)
    }

    @Test("the battery is that of the attached reader") func battery() {
        var desk = attached()
        #expect(desk.take(.battery(.discharging(percent: 40))) == nil)
        #expect(desk.state.reader?.battery == .discharging(percent: 40))
        _ = desk.take(.disconnected(.silent))
        _ = desk.beginOpening(info("second"))
        #expect(desk.state.reader?.battery == nil)
    }
}
