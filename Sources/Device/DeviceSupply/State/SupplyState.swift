private import Bytes
package import JSONDocument

/// What is known of the configuration of one reader: which package it has, and which load was
/// interrupted.
public struct SupplyState: Sendable, Equatable {
    /// A package that was loaded whole.
    public struct Installation: Sendable, Equatable {
        /// The version of the package.
        public let version: String
        /// The digest of the package, 32 bytes.
        public let digest: [UInt8]
        /// The name of the reader at that time; nil if it was unknown.
        public let name: String?
        /// The firmware of the reader at that time; nil if it does not report it.
        public let firmware: String?
    }

    /// A load that has begun and not ended.
    public struct Load: Sendable, Equatable {
        /// The version of the package.
        public let version: String
        /// The digest of the package, 32 bytes.
        public let digest: [UInt8]
        /// How many of the files are loaded whole.
        public let step: Int
        /// How many files there are.
        public let steps: Int
    }

    /// The maker, as the reader reports it; empty if it does not.
    public let maker: String
    /// The serial number, as the reader reports it.
    public let serialNumber: String
    /// Whether packages for production or for tests were loaded; nil before the first one.
    public internal(set) var stage: DevicePackage.Stage?
    /// The counter of the package that was last loaded, or begun; nil before the first one.
    public internal(set) var counter: Int?
    /// The package that was last loaded whole; nil if there is none, or a later load was
    /// interrupted after it had changed the reader.
    public internal(set) var installed: Installation?
    /// A load that was interrupted, or is in progress in another process.
    public internal(set) var load: Load?

    /// A reader that was never configured.
    init(maker: String, serialNumber: String) {
        self.maker = maker
        self.serialNumber = serialNumber
    }
}

extension SupplyState {
    /// - Parameter text: The file that ``json`` made.
    package init(parsing text: String) throws(DocumentError) {
        self = try Place.document(text) { place throws(DocumentError) in try Self(place) }
    }

    private init(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "format", "maker", "serialNumber", "stage", "counter", "installed", "load",
        ])
        let _: Int = try members.required("format").number(1...1)
        maker = try members.required("maker").line(0...64)
        serialNumber = try members.required("serialNumber").line(1...64)
        try members.takeOrNull("stage", &stage) { place throws(DocumentError) in
            try place.choice(DevicePackage.Stage.allCases.map { ($0.rawValue, $0) })
        }
        try members.takeOrNull("counter", &counter) { place throws(DocumentError) in
            try place.number(0...DevicePackage.largestCounter)
        }
        try members.takeOrNull("installed", &installed, Self.installation)
        try members.takeOrNull("load", &load, Self.load)
    }

    private static func installation(_ place: Place) throws(DocumentError) -> Installation {
        let members = try place.members(["version", "digest", "name", "firmware"])
        var (name, firmware): (String?, String?)
        try members.takeOrNull("name", &name) { place throws(DocumentError) in try place.line(0...1000) }
        try members.takeOrNull("firmware", &firmware) { place throws(DocumentError) in try place.line(0...1000) }
        return Installation(
            version: try members.required("version").line(1...64),
            digest: try members.required("digest").bytes(32...32), name: name,
            firmware: firmware)
    }

    private static func load(_ place: Place) throws(DocumentError) -> Load {
        let members = try place.members(["version", "digest", "step", "steps"])
        let steps: Int = try members.required("steps").number(1...ZipArchive.maximumCount)
        return Load(
            version: try members.required("version").line(1...64),
            digest: try members.required("digest").bytes(32...32),
            step: try members.required("step").number(0...steps), steps: steps)
    }

    /// The file of the reader's state.
    package var json: String {
        JSON.object([
            "format": .number(1), "maker": .text(maker), "serialNumber": .text(serialNumber),
            "stage": .orNull(stage) { .text($0.rawValue) }, "counter": .orNull(counter) { .number($0) },
            "installed": .orNull(installed) { installed in
                .object([
                    "version": .text(installed.version), "digest": .text(installed.digest.hex.lowercased()),
                    "name": .orNull(installed.name) { .text($0) },
                    "firmware": .orNull(installed.firmware) { .text($0) },
                ])
            },
            "load": .orNull(load) { load in
                .object([
                    "version": .text(load.version), "digest": .text(load.digest.hex.lowercased()),
                    "step": .number(load.step),
                    "steps": .number(load.steps),
                ])
            },
        ]).formatted
    }
}
