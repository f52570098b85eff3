import DeviceIO
import Peripherals
import Testing

@Suite("A drawer is looked at, opened once, and looked at again") struct DrawerJobTests {
    /// Runs a job on a drawer whose switch has these levels, one a look; the last one stays.
    private static func run(_ drawerSwitch: DrawerSwitch, _ levels: [Bool?]) -> (
        DrawerJob.Outcome?, pulses: Int, looks: Int
    ) {
        var job = DrawerJob(drawerSwitch)
        var (input, pulses, looks) = (DrawerJob.Input.start, 0, 0)
        for _ in 0..<100 {
            switch job.next(input) {
            case .look:
                input = .level(isHigh: levels[min(looks, levels.count - 1)])
                looks += 1
            case .pulse:
                pulses += 1
                input = .done
            case .wait: input = .done
            case .finish(let outcome): return (outcome, pulses, looks)
            }
        }
        return (nil, pulses, looks)
    }

    /// odoo 35368: read too early, and then five pulses.
    @Test(
        arguments: [
            (.unknown, [false, false, true], .opened(isHigh: true), 1),
            (.unknown, [true, false], .opened(isHigh: false), 1),
            (.unknown, [false], .noSwitchSeen, 1), (.unknown, [nil], .notKnown, 1),
            (.openWhen(isHigh: true), [true], .alreadyOpen, 0), (.openWhen(isHigh: false), [false], .alreadyOpen, 0),
            (.openWhen(isHigh: true), [false], .didNotOpen, 1),
            (.openWhen(isHigh: true), [false, nil, false, true], .opened(isHigh: true), 1),
            (.notFitted, [true], .notKnown, 1),
        ] as [(DrawerSwitch, [Bool?], DrawerJob.Outcome, Int)])
    func outcomes(drawerSwitch: DrawerSwitch, levels: [Bool?], outcome: DrawerJob.Outcome, pulses: Int) {
        let result = Self.run(drawerSwitch, levels)
        #expect(result.0 == outcome)
        #expect(result.pulses == pulses)
        #expect(result.looks <= 20)
    }

    @Test("A job that has ended stays ended") func ended() {
        var job = DrawerJob(.notFitted)
        #expect(job.next(.start) == .pulse)
        #expect(job.next(.done) == .finish(.notKnown))
        #expect(job.next(.start) == .finish(.notKnown))
    }

    /// A serial port whose drawer answers on a modem line.
    private final class DrawerPort: SerialTransport {
        let name = "drawer"
        var written: [[UInt8]] = []
        var lines: ModemLines = []
        let opens: ModemLines
        init(opens: ModemLines) { self.opens = opens }
        func configure(_ line: SerialLine) throws(DeviceError) {}
        var modemLines: ModemLines { get throws(DeviceError) { lines } }
        func setModemLines(on: ModemLines, off: ModemLines) throws(DeviceError) {}
        func discard() throws(DeviceError) {}
        func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
            written.append(bytes)
            lines.formUnion(opens)
        }
        func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] { throw .timedOut }
        var readiness: CInt { -1 }
    }

    @Test("A drawer on a line of its own, with a switch on CTS, without one, and jammed") func serial() throws {
        var limits = DrawerJob.Limits()
        limits.first = .milliseconds(1)
        limits.pause = .milliseconds(1)
        let port = DrawerPort(opens: .clearToSend)
        let drawer = SerialDrawer(port, command: [0x07], switchOn: .clearToSend, event: try WakeEvent())
        #expect(try drawer.open(.openWhen(isHigh: true), limits: limits) == .opened(isHigh: true))
        #expect(try drawer.open(.openWhen(isHigh: true), limits: limits) == .alreadyOpen)
        #expect(port.written == [[0x07]])
        let bare = DrawerPort(opens: [])
        #expect(try SerialDrawer(bare, command: [0x07], switchOn: nil, event: WakeEvent()).open(.unknown) == .notKnown)
        let jammed = SerialDrawer(bare, command: [0x07], switchOn: .dataSetReady, event: try WakeEvent())
        #expect(try jammed.open(.openWhen(isHigh: true), limits: limits) == .didNotOpen)
    }
}
