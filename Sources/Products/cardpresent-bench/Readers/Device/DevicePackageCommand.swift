import ArgumentParser
import Bytes
import Console
import DeviceSupply
import Foundation

struct DevicePackageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "package", abstract: "Make a configuration package, or check one.",
        subcommands: [DevicePackageMakeCommand.self, DevicePackageCheckCommand.self])
}

struct DevicePackageMakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Make a signed configuration package of files for readers.",
        discussion: """
            The files are loaded in the order in which they are given, each as LOADER=PATH. \
            docs/device-files.md describes the kinds of files.

            EXAMPLES
              openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out signer.key
              openssl pkey -in signer.key -pubout -out signer.pem
              cardpresent device package make --key signer.key --maker Gertec --model PPC930 --version-name 2026-11 \\
                --file abecs-tables=tables.json --output tables.zip

            \(ExitStatus.explanation)
            """)

    @Option(
        help: ArgumentHelp(
            "The private key of the signer, in PEM without a password, in a file that only you can read.",
            valueName: "file"))
    var key: String

    @Option(help: "The maker of the readers, as they report it.")
    var maker: String

    @Option(help: "A model, as the readers report it; may be repeated. Without one, every model of the maker.")
    var model: [String] = []

    @Option(help: ArgumentHelp("The version of the package: any text of 1 to 64 characters.", valueName: "text"))
    var versionName: String

    @Option(
        help: ArgumentHelp(
            "Which of two packages is older: that with the smaller counter. Default: the seconds since 1970.",
            valueName: "number"))
    var counter: Int?

    @Flag(help: "The package is for test readers.")
    var test = false

    @Option(
        help: ArgumentHelp(
            "A file and what it is, such as abecs-tables=tables.json; may be repeated.", valueName: "loader=path"))
    var file: [String]

    @Option(name: .shortAndLong, help: ArgumentHelp("The package to make.", valueName: "file"))
    var output: String

    @Flag(help: "Replace an existing file.")
    var force = false

    func run() async throws {
        try await reportingErrors {
            var secret = try SecretInput.bytes(key)
            let bytes = try DevicePackage.archive(
                maker: maker, models: model, version: versionName,
                counter: counter ?? Int(exactly: Date().timeIntervalSince1970.rounded(.down)) ?? 0,
                stage: test ? .test : .production, files: try file.map(contents),
                key: SecretBytes(wiping: &secret))
            if force {
                try OutputFile.replace(output, with: bytes)
            } else if try !OutputFile.create(output, with: bytes) {
                throw InputError("\(output) exists: give another name, or --force")
            }
        }
    }

    private func contents(_ argument: String) throws(InputError) -> DevicePackage.File {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let loader = DevicePackage.Loader(rawValue: parts[0]) else {
            let names = DevicePackage.Loader.allCases.map(\.rawValue).joined(separator: ", ")
            throw InputError("--file takes LOADER=PATH, where LOADER is one of \(names)")
        }
        let name = parts[1].split(separator: "/").last.map(String.init) ?? parts[1]
        return DevicePackage.File(
            name: name, loader: loader, contents: try InputFile.bytes(parts[1], maximumSize: DevicePackage.maximumSize))
    }
}

struct DevicePackageCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the signature and the files of a configuration package, and show what it is for.",
        discussion: """
            EXAMPLES
              cardpresent device package check tables.zip --signer signer.pem

            \(ExitStatus.explanation)
            """)

    @OptionGroup var package: PackageOptions

    @Flag(help: "As JSON.")
    var json = false

    private struct Document: Encodable {
        let maker: String
        let models: [String]
        let packageVersion, stage: String
        let counter: Int
        let files: [File]

        struct File: Encodable {
            let name, loader, sha256: String
            let size: Int
        }
    }

    func run() async throws {
        try await reportingErrors {
            let package = try package.opened()
            let manifest = package.manifest
            for file in package.files { try file.check() }
            let files = zip(manifest.files, package.files).map { listing, file in
                Document.File(
                    name: listing.name, loader: listing.loader.rawValue, sha256: listing.sha256.hex.lowercased(),
                    size: file.contents.count)
            }
            guard !json else {
                return print(
                    try JSONText.of(
                        Document(
                            maker: manifest.maker, models: manifest.models, packageVersion: manifest.version,
                            stage: manifest.stage.rawValue, counter: manifest.counter,
                            files: files)))
            }
            let models = manifest.models.isEmpty ? "all models" : manifest.models.joined(separator: ", ")
            print(
                "\(manifest.maker), \(models): version \(manifest.version), counter \(manifest.counter), for \(manifest.stage.rawValue)"
            )
            Console().table(["FILE", "LOADER", "BYTES"], files.map { [$0.name, $0.loader, "\($0.size)"] })
        }
    }
}
