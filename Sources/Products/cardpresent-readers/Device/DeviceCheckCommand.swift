import ArgumentParser
import Console
import DeviceSupply

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
                case .older: print("`cardpresent device load --allow-older \(package.manifest.version)` loads it all the same")
                default: print("version \(package.manifest.version) is to be loaded: `cardpresent device load`")
                }
            }
            if finding.need != .none { throw ExitCode(ExitStatus.negative) }
        }
    }
}
