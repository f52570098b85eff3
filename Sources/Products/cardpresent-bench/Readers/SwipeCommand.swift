import ArgumentParser
import Bytes
import CardCapture
import CardReaders
import Console
import DeviceIO
import MagneticStripe
import Reports

struct SwipeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swipe",
        abstract: "Read one swipe and show its content, masked.",
        discussion: """
            EXAMPLES
              cardpresent swipe
              cardpresent swipe --reader MagTek --key-file keys.txt
              cardpresent swipe --family 'keyboard wedge' --device /dev/input/by-id/usb-Reader-event-kbd
              cardpresent swipe --family MSR605 --device /dev/ttyUSB0

            Encrypted tracks are shown as ciphertext with the key serial number. A key file decrypts \
            them: one line for each key, such as
              tdes base 0123456789ABCDEFFEDCBA9876543210
            with tdes or aes, and base or initial.

            \(ExitStatus.explanation)
            """)

    @OptionGroup var choice: ReaderChoice

    @Option(
        help: ArgumentHelp(
            "The device file of a reader that cannot be recognized: a keyboard wedge, a reader on a serial port, another maker's.",
            valueName: "path"))
    var device: String?

    @Option(help: "The family of the reader at --device: \(SwipeFamily.names).")
    var family: SwipeFamily?

    @Option(help: "The layout that a keyboard wedge is set up for: us, gb, de or fr. Default: us.")
    var layout: SwipeLayout?

    @Option(
        help: ArgumentHelp("Keys that decrypt the reader's data, in a file that only you can read.", valueName: "file"))
    var keyFile: String?

    @Option(help: ArgumentHelp("Time out after this many seconds.", valueName: "seconds"))
    var seconds: Double = 60

    @Flag(help: "Show PANs, tracks and names in full. For test cards only.")
    var showCardData = false

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        if (device == nil) != (family == nil) { throw ValidationError("--device and --family go together") }
        if !(0.1...86_400).contains(seconds) { throw ValidationError("--seconds takes a tenth of a second to a day") }
        if layout != nil, let family, family.value != .keyboardWedge {
            throw ValidationError("--layout is for keyboard wedges: leave it out")
        }
        if device != nil && choice.reader != nil { throw ValidationError("--device and --reader exclude each other") }
    }

    func run() async throws {
        try await reportingErrors {
            let keys = try keyFile.map { path throws(InputError) in try InputFile.swipeKeys(path) }
            let slot = try slot()
            printError("swipe a card through \(slot.name)")
            var swipe = try await withDeadline(slot)
            if let keys { swipe = try keys.open(swipe) }
            if json { print(try JSONText.of(SwipeDocument(swipe, isRedacted: !showCardData))) } else { show(swipe) }
            if !swipe.isReadable { throw ExitCode(ExitStatus.negative) }
        }
    }

    private var keyboardLayout: KeyboardLayout { layout?.value ?? .american }

    private func slot() throws -> any MagstripeSlot {
        if let device, let family {
            guard let slot = try ReaderCatalog.magstripeSlot(family.value, path: device, layout: keyboardLayout) else {
                throw InputError("magnetic stripe reader not found")
            }
            return slot
        }
        let found = try choice.found("magnetic stripe reader") { $0.family.capabilities.contains(.magneticStripe) }
        if layout != nil && found.family != .keyboardWedge {
            throw InputError("--layout is for keyboard wedges: leave it out with \(found.name)")
        }
        let slot = try ReaderCatalog.magstripeSlot(
            found.family, path: found.node.node, product: found.node.product, layout: keyboardLayout)
        guard let slot else { throw InputError("\(found.name) reads stripes in its own transactions only") }
        return slot
    }

    private func withDeadline(_ slot: any MagstripeSlot) async throws -> CapturedSwipe {
        try await withThrowingTaskGroup(of: CapturedSwipe?.self) { group in
            group.addTask { try await slot.swipe() }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                return nil
            }
            defer { group.cancelAll() }
            guard let swipe = try await group.next() ?? nil else {
                throw InputError("no card was swiped within \(seconds) seconds")
            }
            return swipe
        }
    }

    private func show(_ swipe: CapturedSwipe) {
        let console = Console()
        if swipe.tracks.isReadable {
            for line in MagstripeDescription.lines(swipe.tracks, isRedacted: !showCardData) {
                print(line.depth == 0 ? console.paint(line.text, .cyan) : "  " + line.text)
            }
        } else if swipe.encrypted == nil {
            print(swipe.tracks.description)
        }
        guard let encrypted = swipe.encrypted else { return }
        print(console.paint(encrypted.description, .cyan))
        if !showCardData, let number = encrypted.maskedPAN { print("  card \(number)") }
        print("  key serial number \(encrypted.ksn.hex)")
        for track in TrackNumber.allCases {
            if showCardData, let masked = encrypted.masked[track] { print("  track \(track.rawValue) \(masked)") }
            if let ciphertext = encrypted.ciphertexts[track] {
                print("  track \(track.rawValue) \(ciphertext.count) bytes: \(ciphertext.hex)")
            }
        }
        if let joined = encrypted.joined {
            print("  tracks together, \(joined.ciphertext.count) bytes: \(joined.ciphertext.hex)")
        }
    }
}

/// The families for --family, by their names.
struct SwipeFamily: ExpressibleByArgument {
    let value: ReaderFamily

    static let all = ReaderFamily.all.filter(\.hasMagstripeSlot)
    static var names: String { all.map { "'\($0.name)'" }.joined(separator: ", ") }

    init?(argument: String) {
        guard let family = ReaderFamily.named(argument), family.hasMagstripeSlot else { return nil }
        value = family
    }
}

/// The layouts for --layout, by the names of their countries.
struct SwipeLayout: ExpressibleByArgument {
    let value: KeyboardLayout

    init?(argument: String) {
        guard let layout = KeyboardLayout(rawValue: argument.lowercased()) else { return nil }
        value = layout
    }
}
