public import Printing

/// A printer of a profile, without a mechanism: it takes the bytes of a program, prints on paper
/// that can be read as lines and looked at as a picture, and answers as printers do.
///
/// It runs out of paper, opens its cover and falls silent when it is told to. Then it keeps what it
/// receives in its buffer, and goes on where it stopped.
public struct SimulatedPrinter: Sendable {
    /// What came out, from top to bottom.
    public enum Item: Sendable, Equatable {
        case line(Slip.Line)
        /// A QR code that the printer drew.
        case qr([UInt8])
        /// A barcode by the number of its kind, not drawn.
        case barcode(kind: UInt8, [UInt8])
        /// A picture, or a band of one.
        case picture(Bitmap)
        case cut
    }

    /// A pulse to the drawer's socket.
    public struct Pulse: Sendable, Equatable {
        /// 1 or 2.
        public let drive: Int
        /// Whether it ran at once, before what was in the buffer.
        public let isRealTime: Bool
    }

    public let profile: PrinterProfile
    var roll: PaperRoll
    /// Every pulse to the drawer.
    public internal(set) var pulses: [Pulse] = []
    /// Bytes that are no command of its language, nor of any code table.
    public internal(set) var strangeBytes = 0

    /// Whether it answers nothing.
    public var isSilent = false
    public var isCoverOpen = false { didSet { changed(from: isCoverOpen == oldValue) } }
    /// What it reports besides.
    public var faults: Set<PrinterStatus.Fault> = []
    /// The level of pin 3, which a drawer with a switch changes.
    public var drawerSwitch = PrinterStatus.SwitchLevel.low
    /// Whether a pulse changes the level of the switch: nil without a switch.
    public var drawerSwitchWhenOpen: PrinterStatus.SwitchLevel?

    var answers: [UInt8] = []
    private var buffer: [UInt8] = []
    private var realTime = RealTimeScanner()
    private var interpreter: any Interpreter
    /// Whether it sends its status by itself.
    var isAutomatic = false
    /// Of Star: how many documents were printed.
    var documents: UInt8 = 0

    public init(_ profile: PrinterProfile) {
        self.profile = profile
        roll = PaperRoll(columns: profile.fonts[0].columns)
        interpreter =
            switch profile.language {
            case .escPOS: ESCPOSInterpreter()
            case .starLine, .starPRNT: StarInterpreter()
            case .starRaster: StarRasterInterpreter()
            }
    }

    /// Lines until the paper ends; nil for a roll without end.
    public var linesLeft: Int? {
        get { roll.linesLeft }
        set {
            let before = roll.isAtEnd
            roll.linesLeft = newValue
            changed(from: before == roll.isAtEnd)
        }
    }

    public var items: [Item] { roll.items }
    public var lines: [Slip.Line] { items.compactMap { if case .line(let line) = $0 { line } else { nil } } }
    /// Bytes that were received and are not worked off.
    public var buffered: Int { buffer.count }
    var isStopped: Bool { isCoverOpen || roll.isAtEnd || !faults.isEmpty }

    /// Takes bytes, and returns what the printer sends by then.
    public mutating func receive(_ bytes: [UInt8]) -> [UInt8] {
        if profile.language == .escPOS {
            for command in realTime.scan(bytes) { act(command) }
        }
        buffer += bytes
        work()
        return takeAnswers()
    }

    /// What the printer sends by itself, after one of its conditions was changed.
    public mutating func takeAnswers() -> [UInt8] {
        defer { answers = [] }
        return isSilent ? [] : answers
    }

    private mutating func changed(from isSame: Bool) {
        guard !isSame else { return }
        if isAutomatic { answers += profile.language == .escPOS ? automaticStatus : starStatus }
        work()
    }

    private mutating func work() {
        var rest = buffer[...]
        while !rest.isEmpty {
            let wasStopped = isStopped
            if wasStopped && !interpreter.isImmediate(rest) { break }
            var interpreter = self.interpreter
            guard let count = interpreter.step(rest, &self) else { break }
            self.interpreter = interpreter
            rest = rest.dropFirst(max(count, 1))
            if isStopped != wasStopped, isAutomatic {
                answers += profile.language == .escPOS ? automaticStatus : starStatus
            }
        }
        buffer = Array(rest)
    }

    mutating func pulse(drive: Int, isRealTime: Bool) {
        guard profile.hasDrawer else { return }
        pulses.append(Pulse(drive: drive, isRealTime: isRealTime))
        drawerSwitch = drawerSwitchWhenOpen ?? drawerSwitch
    }
}

/// The commands of a language.
protocol Interpreter: Sendable {
    /// Does what the bytes begin with, and returns how many bytes that were; nil if more are
    /// needed.
    mutating func step(_ bytes: ArraySlice<UInt8>, _ printer: inout SimulatedPrinter) -> Int?
    /// Whether the bytes begin with a command that a stopped printer answers.
    func isImmediate(_ bytes: ArraySlice<UInt8>) -> Bool
}
