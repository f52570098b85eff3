import PaymentTerminal
import PrinterModels
import Printing
import Testing

/// A job that goes on and on.
private struct NeverEnds: Error {}

/// Jobs on a simulated printer whose link breaks, which is silent, open or out of paper at every
/// action. No clock: silence is what the job would have waited for.
@Suite("A slip is printed once, and said to be when it is") struct PrintJobTests {
    private static let slip = Slip(
        [.merchant("Shop"), .row("Card", "VISA **** 0119"), .amount("12.50 EUR"), .outcome("APPROVED")], columns: 42,
        additions: Slip.Additions(footer: ["Thank you"]))

    /// Runs a job; `fault` changes the printer before the action of that number, and says whether
    /// the link is broken from then on.
    private static func run(
        _ profile: PrinterProfile, number: UInt16 = 17, _ printer: inout SimulatedPrinter,
        _ fault: (Int, PrintJob.Action, inout SimulatedPrinter) -> Bool = { _, _, _ in false }
    ) throws -> (outcome: PrintJob.Outcome, states: [PrintJob.State], actions: Int) {
        var job = PrintJob(profile.encode(slip, pictureFont: try Peer.font()), on: profile, number: number)
        var (input, states, sent) = (PrintJob.Input.start, [job.state], [UInt8]())
        for count in 0..<1000 {
            let action = job.next(input)
            if states.last != job.state { states.append(job.state) }
            if case .finish(let outcome) = action { return (outcome, states, count) }
            let isBroken = fault(count, action, &printer)
            switch action {
            case .connect: input = isBroken ? .failed(.notConnected) : .done
            case .write(let bytes, _):
                // A part of the block may have arrived.
                sent += printer.receive(isBroken ? Array(bytes.prefix(bytes.count / 2)) : bytes)
                input = isBroken ? .failed(.connectionLost) : .done
            case .read:
                sent += printer.takeAnswers()
                input = isBroken ? .failed(.connectionLost) : sent.isEmpty ? .silence : .received(sent)
                sent = []
            case .finish: break
            }
        }
        throw NeverEnds()
    }

    @Test("printed is said when the end marker came, by printers that have one", arguments: PrinterProfile.known)
    func healthy(_ profile: PrinterProfile) throws {
        var printer = SimulatedPrinter(profile)
        let (outcome, states, _) = try Self.run(profile, &printer)
        #expect(outcome == (profile.marksEnd ? .printed : .notKnown(nil)))
        #expect(states == [.initialize, .connecting, .connected, .print, .finish])
        #expect(printer.items.count { $0 == .cut } == (profile.cut == .none ? 0 : 1))
    }

    @Test(
        "A link that breaks at any action: not printed only if nothing was, and never printed twice",
        arguments: PrinterProfile.known)
    func brokenLink(_ profile: PrinterProfile) throws {
        var whole = SimulatedPrinter(profile)
        let actions = try Self.run(profile, &whole).actions
        for place in 0..<actions {
            var printer = SimulatedPrinter(profile)
            let outcome = try Self.run(profile, &printer) { count, _, _ in count >= place }.outcome
            switch outcome {
            case .notPrinted: #expect(printer.items.isEmpty, "action \(place)")
            case .notKnown: break
            case .printed: #expect(printer.items == whole.items, "action \(place)")
            }
            #expect(printer.items.count { $0 == .cut } <= 1)
        }
    }

    @Test(
        "A printer that falls silent at any action is never said to have printed without its marker",
        arguments: PrinterProfile.known)
    func silence(_ profile: PrinterProfile) throws {
        var whole = SimulatedPrinter(profile)
        let actions = try Self.run(profile, &whole).actions
        for place in 0..<actions {
            var printer = SimulatedPrinter(profile)
            var sawMarker = false
            let outcome = try Self.run(profile, &printer) { count, action, printer in
                if case .write(let bytes, _) = action,
                    bytes.starts(with: [0x1D, 0x28, 0x48]) || bytes.starts(with: [0x1B, 0x1D, 0x03])
                {
                    sawMarker = count < place
                }
                printer.isSilent = count >= place
                return false
            }.outcome
            if outcome == .printed { #expect(sawMarker, "action \(place)") }
            if case .notPrinted = outcome { #expect(printer.items.isEmpty, "action \(place)") }
        }
    }

    @Test(
        "Before the slip: an obstacle is told, and nothing is sent",
        arguments: PrinterProfile.known.filter { $0.status == .answers })
    func obstacles(_ profile: PrinterProfile) throws {
        var open = SimulatedPrinter(profile)
        open.isCoverOpen = true
        #expect(try Self.run(profile, &open).outcome == .notPrinted(.coverOpen))
        #expect(open.buffered == 0)
        var empty = SimulatedPrinter(profile)
        empty.linesLeft = 0
        #expect(try Self.run(profile, &empty).outcome == .notPrinted(.outOfPaper))
        var stuck = SimulatedPrinter(profile)
        stuck.faults = [.cutter]
        #expect(try Self.run(profile, &stuck).outcome == .notPrinted(.operation(.cutter)))
        var silent = SimulatedPrinter(profile)
        silent.isSilent = true
        #expect(try Self.run(profile, &silent).outcome == .notPrinted(.timedOut))
        #expect(silent.items.isEmpty)
    }

    @Test(
        "Paper that ends or a cover that opens in the middle: waited for, then told; the job goes on when it is mended",
        arguments: PrinterProfile.known.filter { $0.status == .answers && $0.language != .starRaster })
    func middle(_ profile: PrinterProfile) throws {
        for place in 6..<10 {
            var open = SimulatedPrinter(profile)
            let outcome = try Self.run(profile, &open) { count, _, printer in
                if count == place { printer.isCoverOpen = true }
                return false
            }.outcome
            #expect(outcome == .notKnown(.coverOpen), "action \(place)")

            var mended = SimulatedPrinter(profile)
            let second = try Self.run(profile, &mended) { count, action, printer in
                if count == place { printer.isCoverOpen = true }
                if case .read(let limit) = action, limit == PrintJob.Limits().attention { printer.isCoverOpen = false }
                return false
            }.outcome
            #expect(second == (profile.marksEnd ? .printed : .notKnown(nil)), "action \(place)")
        }
        var short = SimulatedPrinter(profile)
        short.linesLeft = 3
        #expect(try Self.run(profile, &short).outcome == .notKnown(.outOfPaper))
    }

    @Test("A family that may be silent prints, and is not said to have printed") func oneWay() throws {
        let profile = try #require(PrinterProfile.named("generic-58"))
        var printer = SimulatedPrinter(profile)
        printer.isSilent = true
        #expect(try Self.run(profile, &printer).outcome == .notKnown(nil))
        #expect(!printer.lines.isEmpty)
    }

    @Test("A Star printer behind an Epson's profile is told, and nothing is sent to it") func otherLanguage() throws {
        let epson = try #require(PrinterProfile.named("epson-tm-t88v"))
        var job = PrintJob(epson.encode(Self.slip, pictureFont: try Peer.font()), on: epson, number: 1)
        _ = job.next(.start)
        _ = job.next(.done)
        _ = job.next(.done)
        #expect(job.next(.received([0x23, 0x86, 0, 0, 0, 0, 0, 0, 0])) == .finish(.notPrinted(.unsupported)))
    }

    @Test("The marker of an earlier job is not that of this one") func earlierMarker() throws {
        let profile = try #require(PrinterProfile.named("epson-tm-t88v"))
        var printer = SimulatedPrinter(profile)
        let outcome = try Self.run(profile, number: 17) { count, action, printer in
            if case .write(let bytes, _) = action, bytes.starts(with: [0x1D, 0x28, 0x48]) {
                printer.isSilent = true
            }
            return false
        }
        #expect(outcome == .notKnown(.timedOut))
        var job = PrintJob(profile.encode(Self.slip, pictureFont: try Peer.font()), on: profile, number: 17)
        var input = PrintJob.Input.start
        for _ in 0..<200 {
            let action = job.next(input)
            switch action {
            case .write(let bytes, _):
                input = .done
                _ = printer.receive(bytes)
            case .read(let limit) where limit == PrintJob.Limits().end:
                input = .received([0x37, 0x22] + Array("0010".utf8) + [0])
            case .read(let limit) where limit == PrintJob.Limits().status: input = .received([0x12, 0x12, 0x12, 0x12])
            case .read: input = .silence
            case .connect: input = .done
            case .finish(let outcome):
                #expect(outcome == .notKnown(.unsupported))
                return
            }
        }
    }

    private static func run(
        _ profile: PrinterProfile, number: UInt16,
        _ fault: (Int, PrintJob.Action, inout SimulatedPrinter) -> Bool
    ) throws -> PrintJob.Outcome {
        var printer = SimulatedPrinter(profile)
        return try run(profile, number: number, &printer, fault).outcome
    }

}
