import ArgumentParser
import Bytes
import Console
import Counter
import DeviceIO
import JSONDocument
import Peripherals
import Printing

struct DrawerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawer",
        abstract: "Open a cash drawer, if it is closed: on a printer's socket, or on a serial line.",
        discussion: """
            EXAMPLES
              cardpresent drawer --printer tcp://192.0.2.7:9100 --profile epson-tm-m30iii
              cardpresent drawer --printer /dev/usb/lp0 --profile epson-tm-t88v --open-level high
              cardpresent drawer --serial /dev/ttyS0 --command 07 --switch-line cts --open-level high

            The switch is read before the pulse and for two seconds after it. Without --open-level \
            the drawer gets its pulse whatever the level is, and the answer says which level is open.

            \(ExitStatus.explanation)
            """)

    @Option(
        help: ArgumentHelp(
            "The printer with the drawer: tcp://HOST[:9100], a device, or serial:/dev/ttyUSB0[,RATE].",
            valueName: "address"))
    var printer: PrinterChoice?

    @Option(help: ArgumentHelp("The printer's model: an id of cardpresent print models.", valueName: "id"))
    var profile: String?

    @Option(
        help: ArgumentHelp("A file of further profiles.", valueName: "file"), completion: .file(extensions: ["json"]))
    var profiles: String?

    @Option(help: ArgumentHelp("Which drawer of the socket, 1 or 2. Default: 1.", valueName: "number"))
    var drive: Int?

    @Option(help: ArgumentHelp("The length of the pulse, 20 to 500. Default: 50.", valueName: "milliseconds"))
    var pulse: Int?

    @Option(help: ArgumentHelp("The tty of a drawer with a line of its own, 9600 bits per second.", valueName: "path"))
    var serial: String?

    @Option(
        help: ArgumentHelp("The bytes that open it, in hexadecimal, as its manual says.", valueName: "bytes"))
    var command: String?

    @Option(help: "Where the switch is on the serial line: cts, dsr or dcd. Default: no switch.")
    var switchLine: SwitchLineChoice?

    @Option(help: "The level of the switch of an open drawer: high, low, or none without a switch.")
    var openLevel: OpenLevel?

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        if (printer == nil) == (serial == nil) { throw ValidationError("give either --printer or --serial") }
        if printer != nil, profile == nil { throw ValidationError("--printer needs --profile") }
        if serial != nil, command == nil { throw ValidationError("--serial needs --command") }
        if printer != nil, command != nil || switchLine != nil {
            throw ValidationError("--command and --switch-line are for --serial: leave them out")
        }
        if serial != nil, profile != nil || profiles != nil || drive != nil || pulse != nil {
            throw ValidationError("--profile, --profiles, --drive and --pulse are for --printer: leave them out")
        }
        if serial != nil, switchLine == nil, openLevel != nil {
            throw ValidationError("--open-level needs --switch-line")
        }
        if let drive, !(1...2).contains(drive) { throw ValidationError("--drive is 1 or 2") }
        if let pulse, !PrinterProfile.pulseLengths.contains(pulse) { throw ValidationError("--pulse is 20 to 500") }
        if let command, !((try? [UInt8](hex: command)).map { (1...64).contains($0.count) } ?? false) {
            throw ValidationError("--command takes 1 to 64 bytes in hexadecimal")
        }
    }

    func run() async throws {
        try await reportingErrors {
            let outcome = try await open()
            if json {
                JSONText.show(["outcome": .text(outcome.name), "openLevel": outcome.openLevel.map { .text($0) }])
            } else {
                print(outcome.description + (outcome.openLevel.map { "; an open drawer is --open-level \($0)" } ?? ""))
            }
            switch outcome {
            case .opened, .alreadyOpen: break
            case .didNotOpen: throw ExitCode(ExitStatus.negative)
            case .noSwitchSeen, .notKnown: throw ExitCode(ExitStatus.notChecked)
            }
        }
    }

    private func open() async throws -> DrawerJob.Outcome {
        let drawerSwitch = openLevel?.drawerSwitch ?? .unknown
        if let printer, let profile {
            guard let model = try ProfileOptions.all(profiles).first(where: { $0.id == profile }) else {
                throw InputError("printer model '\(profile)' not found: cardpresent print models lists them")
            }
            return try await ReceiptPrinter(printer.value, profile: model).openDrawer(
                drawerSwitch, drive: drive ?? 1, milliseconds: pulse ?? 50)
        }
        guard let serial, let command else { throw InputError("no drawer") }
        let event = try WakeEvent()
        let port = try SerialPort(path: serial, line: SerialLine(rate: 9600), cancel: event)
        let drawer = SerialDrawer(port, command: try [UInt8](hex: command), switchOn: switchLine?.value, event: event)
        return try drawer.open(drawerSwitch)
    }
}

/// For --open-level.
enum OpenLevel: String, ExpressibleByArgument, CaseIterable {
    case high, low, none

    var drawerSwitch: DrawerSwitch {
        switch self {
        case .high: .openWhen(isHigh: true)
        case .low: .openWhen(isHigh: false)
        case .none: .notFitted
        }
    }
}

/// For --switch-line.
enum SwitchLineChoice: String, ExpressibleByArgument, CaseIterable {
    case cts, dsr, dcd

    var value: SerialDrawer.SwitchLine {
        switch self {
        case .cts: .clearToSend
        case .dsr: .dataSetReady
        case .dcd: .carrierDetect
        }
    }
}

extension DrawerJob.Outcome {
    fileprivate var name: String {
        switch self {
        case .opened: "opened"
        case .alreadyOpen: "alreadyOpen"
        case .didNotOpen: "didNotOpen"
        case .noSwitchSeen: "noSwitchSeen"
        case .notKnown: "notKnown"
        }
    }

    /// The level of an open drawer, as it was just seen.
    fileprivate var openLevel: String? {
        guard case .opened(let isHigh) = self else { return nil }
        return isHigh ? "high" : "low"
    }
}
