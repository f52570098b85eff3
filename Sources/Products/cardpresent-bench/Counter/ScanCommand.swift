import ArgumentParser
import Bytes
import CardReaders
import Console
import DeviceIO
import JSONDocument
import Peripherals
import TLV

struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Read codes from a barcode scanner, taken for this program alone.",
        discussion: """
            EXAMPLES
              cardpresent scan --scanner /dev/input/by-id/usb-Scanner-event-kbd
              cardpresent scan --scanner /dev/hidraw3 --show-codes
              cardpresent scan --scanner serial:/dev/ttyACM0,115200 --count 1 --json

            A code may be the number of a card, or pay: without --show-codes its length and kind are \
            shown, with it card numbers are masked.

            \(ExitStatus.explanation)
            """)

    @Option(
        help: ArgumentHelp(
            "A link of /dev/input/by-id, /dev/hidrawN, or serial:/dev/ttyACM0[,RATE].", valueName: "address"))
    var scanner: String

    @Option(help: "The keyboard layout that a typing scanner is set to: us, gb, de or fr. Default: us.")
    var layout: SwipeLayout?

    @Option(help: ArgumentHelp("What the scanner sends before each code, in hexadecimal.", valueName: "bytes"))
    var prefix: String?

    @Option(help: ArgumentHelp("What it sends behind each code, before its end.", valueName: "bytes"))
    var suffix: String?

    @Option(
        help: ArgumentHelp(
            "For a scanner that sends no Enter: a code ends when nothing came for so long.", valueName: "milliseconds"))
    var gap: Int?

    @Option(help: ArgumentHelp("End after so many codes. Default: 1.", valueName: "codes"))
    var count = 1

    @Option(help: ArgumentHelp("Time out after this many seconds.", valueName: "seconds"))
    var seconds: Double = 60

    @Flag(help: "Show what the codes say.")
    var showCodes = false

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        guard let address = try? ScannerAddress(parsing: scanner) else {
            throw ValidationError("--scanner: \(ScannerAddress.Invalid())")
        }
        if layout != nil, case .keyboard = address {
        } else if layout != nil {
            throw ValidationError("--layout is for scanners that type: leave it out")
        }
        if count < 1 { throw ValidationError("--count is at least 1") }
        if let gap, !(10...5000).contains(gap) { throw ValidationError("--gap is 10 to 5000") }
        if !(0.1...86_400).contains(seconds) { throw ValidationError("--seconds takes a tenth of a second to a day") }
        for bytes in [prefix, suffix].compactMap(\.self) where (try? [UInt8](hex: bytes)).map({ $0.count > 16 }) ?? true
        {
            throw ValidationError("--prefix and --suffix take at most 16 bytes in hexadecimal")
        }
    }

    func run() async throws {
        try await reportingErrors {
            let format = ScanFormat(
                end: gap.map { .silence(.milliseconds($0)) } ?? .terminator,
                prefix: try prefix.map { try [UInt8](hex: $0) } ?? [],
                suffix: try suffix.map { try [UInt8](hex: $0) } ?? [])
            let address = try ScannerAddress(parsing: scanner, layout: layout?.value ?? .american)
            let source = try BarcodeScanner(address, format: format)
            let stream = try await connected(source)
            printError("scan \(count == 1 ? "a code" : "\(count) codes")")
            let timer = Task {
                try await Task.sleep(for: .seconds(seconds))
                source.close()
            }
            defer { timer.cancel() }
            var scans: [JSON] = []
            for await event in stream {
                if let document = try take(event) { scans.append(document) }
                if scans.count == count { source.close() }
            }
            if json { JSONText.show(["scans": .list(scans)]) }
            guard scans.count >= count else {
                throw InputError("\(scans.count) of \(count) codes were scanned within \(seconds) seconds")
            }
        }
    }

    private func connected(_ source: BarcodeScanner) async throws -> AsyncStream<ScannerEvent> {
        do throws(DeviceError) {
            return try await source.connect()
        } catch .notFound(let path) {
            throw InputError("\(path) not found: connect or pair the scanner, and check --scanner")
        } catch .accessDenied(let path) {
            throw InputError("no permission to open \(path): join the group `input`, or add a udev rule for it")
        } catch {
            throw InputError("\(error)")
        }
    }

    /// Shows a scan, and returns it as a document.
    private func take(_ event: ScannerEvent) throws -> JSON? {
        switch event {
        case .scan(let scan):
            let text = showCodes ? scan.text.map { Masking.text($0).onOneLine() } : nil
            if !json { print(text ?? scan.description) }
            return .object([
                "length": .number(scan.data.count), "identifier": scan.identifier.map { .text($0.description) },
                "symbology": scan.identifier?.symbology.map { .text("\($0)") }, "text": text.map { .text($0) },
            ])
        case .refused(let reason):
            printError(reason.description)
            return nil
        case .disconnected(let error):
            throw InputError("the scanner was lost (\(error.code)): connect or pair it again")
        }
    }
}
