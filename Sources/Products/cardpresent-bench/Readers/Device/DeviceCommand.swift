import ArgumentParser
import CardReaders
import Console
import DeviceIO
import DeviceSupply

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Load configurations into readers, and show which reader has which.",
        discussion: """
            A configuration package (docs/device-files.md) is a signed zip archive for the readers of one \
            maker. Nothing is loaded unasked: `check` says whether a reader needs a package, and `load` loads it. \
            What each reader has is recorded in a folder, by serial number.

            EXAMPLES
              cardpresent device check tables.zip --signer acquirer.pem --reader Gertec
              cardpresent device load tables.zip --signer acquirer.pem --reader Gertec
              cardpresent device state

            """,
        subcommands: [
            DeviceListCommand.self, DeviceCheckCommand.self, DeviceLoadCommand.self, DeviceStateCommand.self,
            DevicePackageCommand.self,
        ])
}

struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the connected readers that take configurations, and what each takes.",
        discussion: """
            The list opens no reader. The serial number is that of the USB device, which may differ from \
            the one that the reader reports.

            \(ExitStatus.explanation)
            """)

    @Flag(help: "As JSON.")
    var json = false

    private struct Document: Encodable {
        let readers: [Row]

        struct Row: Encodable {
            let name, family, node, serialNumber: String
            let loaders: [String]
        }
    }

    func run() async throws {
        try await reportingErrors {
            let rows = try ReaderCatalog.readers().filter { !$0.family.loaders.isEmpty }.map { found in
                Document.Row(
                    name: found.name, family: found.family.name, node: found.node.node,
                    serialNumber: found.node.serialNumber,
                    loaders: found.family.loaders.map(\.rawValue))
            }
            guard !json else { return print(try JSONText.of(Document(readers: rows))) }
            if rows.isEmpty {
                print("No reader that takes configurations is connected: `cardpresent readers` lists all readers.")
            }
            Console().table(
                ["READER", "FAMILY", "NODE", "SERIAL NUMBER", "TAKES"],
                rows.map { [$0.name, $0.family, $0.node, $0.serialNumber, $0.loaders.joined(separator: ", ")] })
        }
    }
}

struct DeviceCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether a reader needs a configuration package.",
        discussion: """
            The command reads the identity of the reader, and changes nothing. The exit status is 0 if it has the package, \
            and 1 if it needs it.

            EXAMPLES
              cardpresent device check tables.zip --signer acquirer.pem --reader Gertec
              cardpresent device check tables.zip --signer acquirer.pem --family ABECS --device /dev/ttyACM0

            \(ExitStatus.explanation)
            """)

    @OptionGroup var options: SupplyOptions

    func run() async throws {
        try await reportingErrors {
            let package = try options.package.opened()
            let finding = try await options.supplier.check(package, for: options.reader())
            if options.json {
                print(try JSONText.of(FindingDocument(finding, package, isLoaded: nil)))
            } else {
                print("\(finding.identity.summary): \(finding.need)")
                switch finding.need {
                case .none: break
                case .older:
                    print("`cardpresent device load --allow-older \(package.manifest.version)` loads it all the same")
                default: print("version \(package.manifest.version) is to be loaded: `cardpresent device load`")
                }
            }
            if finding.need != .none { throw ExitCode(ExitStatus.negative) }
        }
    }
}
