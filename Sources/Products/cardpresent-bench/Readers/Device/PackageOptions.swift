import ArgumentParser
import CardReaders
import Console
import DeviceSupply
import FoundationEssentials

/// The folder with the state of the readers.
struct StateOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder with the state of each reader. Default: cardpresent/devices in $XDG_STATE_HOME or ~/.local/state.",
            valueName: "folder"))
    var state: String?

    /// - Throws: ``InputError`` if there is no home folder.
    var folder: SupplyFolder {
        get throws(InputError) {
            if let state { return SupplyFolder(path: state) }
            let environment = ProcessInfo.processInfo.environment
            // Of another form it must be ignored (XDG Base Directory Specification).
            if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") {
                return SupplyFolder(path: home + "/cardpresent/devices")
            }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw InputError("there is no home folder for the state of the readers: give one with --state")
            }
            return SupplyFolder(path: home + "/.local/state/cardpresent/devices")
        }
    }
}

/// A package and the key that verifies it.
struct PackageOptions: ParsableArguments {
    @Argument(help: "The configuration package.")
    var package: String

    @Option(
        help: ArgumentHelp(
            "The public key of the package's signer, in PEM: RSA of 2048 to 4096 bits or P-256.", valueName: "file"))
    var signer: String

    /// - Throws: ``InputError``, ``PackageError``.
    func opened() throws -> DevicePackage {
        let key = try InputFile.bytes(signer, maximumSize: 64 << 10)
        return try DevicePackage(parsing: InputFile.bytes(package, maximumSize: DevicePackage.maximumSize), signer: key)
    }
}

/// The reader of a command, and the terminal that it belongs to.
struct SupplyOptions: ParsableArguments {
    @OptionGroup var package: PackageOptions
    @OptionGroup var choice: ReaderChoice
    @OptionGroup var state: StateOption

    @Option(
        help: ArgumentHelp(
            "The device file of a reader that cannot be recognized, on a serial port.", valueName: "path"))
    var device: String?

    @Option(help: "The family of the reader at --device: \(SuppliedFamily.names).")
    var family: SuppliedFamily?

    @Flag(help: "The terminal and its readers are for tests: load only test packages.")
    var test = false

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        if (device == nil) != (family == nil) { throw ValidationError("--device and --family go together") }
        if device != nil && choice.reader != nil { throw ValidationError("--device and --reader exclude each other") }
    }

    var supplier: DeviceSupplier {
        get throws(InputError) { DeviceSupplier(folder: try state.folder, stage: test ? .test : .production) }
    }

    func reader() async throws -> any SuppliedReader {
        let reader: (any SuppliedReader)?
        if let device, let family {
            reader = try family.value.openForSupply(path: device)
        } else {
            reader = try await choice.found("reader that takes configurations") { !$0.family.loaders.isEmpty }
                .openForSupply()
        }
        guard let reader else { throw InputError("the reader takes no configurations") }
        return reader
    }
}

/// The families for --family, by their names.
struct SuppliedFamily: ExpressibleByArgument {
    let value: ReaderFamily

    static let all = ReaderFamily.all.filter { !$0.loaders.isEmpty }
    static var names: String { all.map { "'\($0.name)'" }.joined(separator: ", ") }

    init?(argument: String) {
        guard let family = Self.all.first(where: { $0.name.lowercased() == argument.lowercased() }) else { return nil }
        value = family
    }
}
