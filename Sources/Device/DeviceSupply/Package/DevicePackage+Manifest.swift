private import Bytes
package import JSONDocument

extension DevicePackage {
    /// Which readers and terminals a package is for. A test package never goes into a production
    /// reader, nor the reverse.
    public enum Stage: String, Sendable, CaseIterable {
        /// Readers and terminals that take real payments.
        case production
        /// Readers and terminals of a test environment.
        case test
    }

    /// What a file is, and therefore which protocol brings it into a reader.
    public enum Loader: String, Sendable, CaseIterable {
        /// Tables of an acquirer for ABECS PIN pads (TLI, TLR, TLE): a JSON document.
        case abecsTables = "abecs-tables"
        /// A file of a Miura PIN pad, which has the name of the file in the package.
        case miuraFile = "miura-file"
        /// Settings of ID TECH NEO readers: a JSON document with commands.
        case neoSettings = "neo-settings"
        /// Properties of MagTek's MMS devices (DynaFlex, DynaProx): a JSON document.
        case mmsProperties = "mms-properties"
    }

    /// A file of a package, as the manifest lists it.
    public struct Listing: Sendable, Equatable {
        /// Its path in the archive.
        public let name: String
        /// What it is.
        public let loader: Loader
        /// The SHA-256 of its contents, 32 bytes.
        public let sha256: [UInt8]
    }

    /// The content of `manifest.json`: what the signature is over.
    public struct Manifest: Sendable, Equatable {
        /// The maker of the readers, as they report it.
        public let maker: String
        /// The models, as the readers report them; none for every model of the maker.
        public let models: [String]
        /// Any text of 1 to 64 characters. Versions are equal or different; none is newer than
        /// another.
        public let version: String
        /// Which of two packages is older: that with the smaller number, 0 to 2⁵³ − 1. Makers count
        /// their packages, or take the seconds since 1970. 0 in a package without one.
        public let counter: Int
        /// The readers that the package is for.
        public let stage: Stage
        /// In the order in which they are loaded; one at least.
        public let files: [Listing]
    }
}

extension DevicePackage.Manifest {
    private static let names: [(String, DevicePackage.Stage)] = DevicePackage.Stage.allCases.map { ($0.rawValue, $0) }
    private static let loaders: [(String, DevicePackage.Loader)] = DevicePackage.Loader.allCases.map {
        ($0.rawValue, $0)
    }

    /// - Parameter text: The file `manifest.json`.
    package init(parsing text: String) throws(DocumentError) {
        self = try Place.document(text) { place throws(DocumentError) in try Self(place) }
    }

    private init(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "format", "maker", "models", "version", "counter", "stage", "files",
        ])
        let _: Int = try members.required("format").number(1...1)
        maker = try members.required("maker").line(1...64)
        models = try members.required("models").list { place throws(DocumentError) in try place.line(1...64) }
        version = try members.required("version").line(1...64)
        var counter = 0
        try members.take("counter", &counter) { place throws(DocumentError) in
            try place.number(0...DevicePackage.largestCounter)
        }
        self.counter = counter
        stage = try members.required("stage").choice(Self.names)
        let files = try members.required("files")
        self.files = try files.list(Self.listing)
        guard !self.files.isEmpty else { throw files.wrong(SupplyFault.noFile) }
        guard Set(self.files.map(\.name)).count == self.files.count else { throw files.wrong(SupplyFault.nameTwice) }
    }

    private static func listing(_ place: Place) throws(DocumentError) -> DevicePackage.Listing {
        let members = try place.members(["name", "loader", "sha256"])
        let name = try members.required("name")
        let text = try name.line(1...100)
        guard ZipArchive.isValidName(text), !DevicePackage.ownNames.contains(text) else {
            throw name.wrong(SupplyFault.notAPath)
        }
        return DevicePackage.Listing(
            name: text, loader: try members.required("loader").choice(loaders),
            sha256: try members.required("sha256").bytes(32...32))
    }

    /// The file `manifest.json`.
    package var json: String {
        JSON.object([
            "format": .number(1), "maker": .text(maker), "models": .list(models.map { .text($0) }),
            "version": .text(version),
            "counter": .number(counter),
            "stage": .text(stage.rawValue),
            "files": .list(
                files.map {
                    .object([
                        "name": .text($0.name), "loader": .text($0.loader.rawValue),
                        "sha256": .text($0.sha256.hex.lowercased()),
                    ])
                }),
        ]).formatted
    }
}

extension Place {
    /// A text of one line.
    ///
    /// - Parameter length: In characters.
    func line(_ length: ClosedRange<Int>) throws(DocumentError) -> String {
        _ = try text(length)
        return try line()
    }
}
