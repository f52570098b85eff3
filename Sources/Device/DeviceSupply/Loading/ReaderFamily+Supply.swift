public import CardReaders
public import DeviceIO

extension ReaderFamily {
    /// What kinds of files readers of the family take; none for families without a loader.
    public var loaders: [DevicePackage.Loader] {
        switch self {
        case .abecs: [.abecsTables]
        case .miura: [.miuraFile]
        case .idTechNEO: [.neoSettings]
        case .magTekMMS: [.mmsProperties]
        default: []
        }
    }

    /// Opens a reader that cannot be recognized, for loading; nil for families without a loader.
    ///
    /// - Parameter path: The device file of a serial line.
    /// - Throws: ``DeviceIO/DeviceError``: as when the reader is opened for payments.
    public func openForSupply(path: String) throws(DeviceError) -> (any SuppliedReader)? {
        switch self {
        case .abecs: ABECSSupply(try ABECSReader(path: path))
        case .miura: MiuraSupply(try MiuraReader(path: path))
        case .idTechNEO: NEOSupply(try NEOMagstripeReader(serialPort: path))
        case .magTekMMS: MMSSupply(try MMSReader(serialPort: path))
        default: nil
        }
    }
}

extension ReaderCatalog.Found {
    /// Opens the reader for loading; nil for families without a loader.
    ///
    /// - Throws: ``DeviceIO/DeviceError``: as when the reader is opened for payments.
    public func openForSupply() async throws(DeviceError) -> (any SuppliedReader)? {
        guard !family.loaders.isEmpty else { return nil }
        switch try await open() {
        case .chipAndMagstripe(let pad as ABECSReader, _): return ABECSSupply(pad, name: name)
        case .reader(let pad as MiuraReader): return MiuraSupply(pad, name: name)
        case .reader(let device as MMSReader): return MMSSupply(device, name: name)
        case .chipAndMagstripe(let reader as NEOChipReader, _): return NEOSupply(reader.driver, name: name)
        default: return nil
        }
    }
}
