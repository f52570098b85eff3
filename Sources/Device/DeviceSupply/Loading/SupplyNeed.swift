/// What a reader's configuration is beside a package.
public enum SupplyNeed: Sendable, Equatable {
    /// The reader has the package.
    case none
    /// No package was ever loaded.
    case neverConfigured
    /// The reader has another version, and not a newer one.
    case otherVersion(installed: String)
    /// The package is older than the one that was last loaded into the reader, or begun: their
    /// counters. Such a package is loaded only where the caller names it.
    case older(counter: Int, loaded: Int)
    /// The version is the same, and the package is not.
    case otherContents
    /// The reader has another name than when the package was loaded.
    case renamed
    /// The reader has other firmware than when the package was loaded, which resets the
    /// configuration.
    case otherFirmware
    /// A load was interrupted.
    ///
    /// - Parameters:
    ///   - continues: Whether it was of the same package; a load then goes on behind the files that
    ///     are loaded whole.
    case interrupted(step: Int, steps: Int, continues: Bool)
}

extension SupplyNeed {
    /// - Parameters:
    ///   - state: Nil for a reader that was never supplied.
    ///   - name: The name of the reader; nil if it is unknown, and then it counts as the same.
    ///   - firmware: As `name`.
    init(_ package: DevicePackage, state: SupplyState?, name: String?, firmware: String?) {
        func differs(_ now: String?, _ before: String?) -> Bool { now != nil && before != nil && now != before }
        if let loaded = state?.counter, package.manifest.counter < loaded {
            self = .older(counter: package.manifest.counter, loaded: loaded)
        } else if let load = state?.load {
            self = .interrupted(step: load.step, steps: load.steps, continues: load.digest == package.digest)
        } else if let installed = state?.installed {
            if installed.version != package.manifest.version {
                self = .otherVersion(installed: installed.version)
            } else if installed.digest != package.digest {
                self = .otherContents
            } else if differs(firmware, installed.firmware) {
                self = .otherFirmware
            } else if differs(name, installed.name) {
                self = .renamed
            } else {
                self = .none
            }
        } else {
            self = .neverConfigured
        }
    }
}

extension SupplyNeed: CustomStringConvertible {
    public var description: String {
        switch self {
        case .none: "the reader has this package"
        case .neverConfigured: "the reader was never configured"
        case .otherVersion(let installed): "the reader has version \(installed)"
        case .older(let counter, let loaded):
            "the package is older than what the reader was given (counter \(counter), not \(loaded))"
        case .otherContents: "the reader has another package of this version"
        case .renamed: "the reader was renamed since it was configured"
        case .otherFirmware: "the reader has other firmware since it was configured"
        case .interrupted(let step, let steps, let continues):
            continues
                ? "the load was interrupted after \(step) of \(steps) files: load the package again, it goes on there"
                : "the load of another package was interrupted after \(step) of \(steps) files"
        }
    }
}
