import ArgumentParser
import Console
import DeviceSupply

struct DeviceLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a configuration package into a reader.",
        discussion: """
            A reader that has the package is not changed. A load that was interrupted goes on after the \
            last file that was loaded completely. A load is refused while the reader's battery is at \
            \(DeviceSupplier.minimumBattery) % or less.

            EXAMPLES
              cardpresent device load tables.zip --signer acquirer.pem --reader Gertec
              cardpresent device load tables.zip --signer acquirer.pem --test --family ABECS --device /dev/ttyACM0

            \(ExitStatus.explanation)
            """)

    @OptionGroup var options: SupplyOptions

    @Option(
        help: ArgumentHelp(
            "Load this version although the package is older than what the reader was given.", valueName: "version"))
    var allowOlder: String?

    func run() async throws {
        try await reportingErrors {
            let package = try options.package.opened()
            let (supplier, reader) = (try options.supplier, try await options.reader())
            let progress = Progress(total: 100)
            let shown = Shown()
            defer { progress.end() }
            let finding = try await supplier.load(package, into: reader, allowing: allowOlder) { percent in
                for _ in 0..<shown.advance(to: percent) { progress.advance() }
            }
            progress.end()
            let isLoaded = finding.need != .none
            if options.json {
                print(try JSONText.of(FindingDocument(finding, package, isLoaded: isLoaded)))
            } else if isLoaded {
                print("\(finding.identity.summary): version \(package.manifest.version) is loaded")
            } else {
                print("\(finding.identity.summary): \(finding.need)")
            }
        }
    }
}
