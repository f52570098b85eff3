public import CardCapture

/// Why a reader cannot be supplied.
public enum SupplyError: Error, Equatable, Sendable {
    /// The reader reports no serial number, so that nothing can be known of it.
    case noSerialNumber
    /// The package is for another maker or model.
    case otherDevice
    /// A test package for a production terminal or reader, or the reverse.
    case otherStage(package: DevicePackage.Stage, reader: DevicePackage.Stage)
    /// The package is older than the one that was last loaded into the reader, or begun: its
    /// version, and the counters of both. The caller may allow this version by name.
    case older(version: String, counter: Int, loaded: Int)
    /// The reader does not take such files.
    case loaderNotSupported(DevicePackage.Loader)
    /// The battery is at this percentage, and more than ``DeviceSupplier/minimumBattery`` is
    /// required.
    case batteryTooLow(percent: Int)
    /// Another process loads into the reader.
    case inUse
    /// The package is refused.
    case package(PackageError)
    /// The reader failed, or refused a file.
    case reader(CaptureError)
    /// The folder or the file of the state at this path; the text says why.
    case state(String, String)
}

extension SupplyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSerialNumber: "the reader reports no serial number: it cannot be supplied"
        case .otherDevice: "the package is for readers of another maker or model"
        case .otherStage(let package, let reader):
            "the package is for \(package.rawValue), and the reader or its terminal is for \(reader.rawValue)"
        case .older(let version, let counter, let loaded):
            "the package is older than what the reader was given (counter \(counter), not \(loaded)): "
                + "load a newer one, or allow version \(version) by name"
        case .loaderNotSupported(let loader): "the reader takes no files of the kind \(loader.rawValue)"
        case .batteryTooLow(let percent):
            "the battery is at \(percent) %: charge it to more than \(DeviceSupplier.minimumBattery) %"
        case .inUse: "another process is loading into the reader"
        case .package(let error): error.description
        case .reader(let error): error.description
        case .state(let path, let reason): "\(path): \(reason)"
        }
    }
}
