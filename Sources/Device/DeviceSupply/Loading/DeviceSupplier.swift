public import CardCapture

/// Compares readers with configuration packages, and loads packages into readers.
///
/// Nothing is loaded because a package is there: ``check(_:for:)`` says that a reader needs it, and
/// ``load(_:into:allowing:progress:)`` is a call of its own. A load that is interrupted, by the
/// reader or by the end of the process, is known by its state; the next load of the same package
/// goes on behind the files that were loaded whole.
public struct DeviceSupplier: Sendable {
    /// A load needs a charge above this, in percent.
    public static let minimumBattery = 50

    /// The result of a check.
    public struct Finding: Sendable, Equatable {
        /// Who the reader is.
        public let identity: ReaderIdentity
        /// Whether it needs the package, and why.
        public let need: SupplyNeed
    }

    private let folder: SupplyFolder
    private let stage: DevicePackage.Stage

    /// - Parameters:
    ///   - folder: The state of the readers.
    ///   - stage: Whether the terminal is for production or for tests. Readers of a test terminal
    ///     are test readers.
    public init(folder: SupplyFolder, stage: DevicePackage.Stage = .production) {
        self.folder = folder
        self.stage = stage
    }

    /// Says whether `reader` needs `package`. The reader is asked for its identity and not changed.
    ///
    /// - Throws: ``SupplyError``: the package is not for this reader, or the reader does not
    ///   answer.
    public func check(_ package: DevicePackage, for reader: some SuppliedReader) async throws(SupplyError) -> Finding {
        let identity = try await Self.identity(of: reader)
        let state = try state(identity)
        try refuseUnfit(package, reader, identity: identity, state: state)
        return Finding(identity: identity, need: need(package, reader, identity: identity, state: state))
    }

    /// Loads `package` into `reader`; nothing if the reader has it.
    ///
    /// - Parameters:
    ///   - olderVersion: The version of `package`, to load it although it is older than what the
    ///     reader was given.
    ///   - progress: Called with the part that is done, in percent from 0 to 100, never less than
    ///     before.
    /// - Returns: What the check has found before the load.
    /// - Throws: ``SupplyError``. After ``SupplyError/reader(_:)`` the load counts as interrupted.
    @discardableResult
    public func load(
        _ package: DevicePackage, into reader: some SuppliedReader, allowing olderVersion: String? = nil,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(SupplyError) -> Finding {
        let identity = try await Self.identity(of: reader)
        let claim = try folder.claim(maker: identity.maker ?? "", serialNumber: identity.serialNumber ?? "")
        defer { withExtendedLifetime(claim) {} }
        var state = try state(identity)
        try refuseUnfit(package, reader, identity: identity, state: state)
        let need = need(package, reader, identity: identity, state: state)
        let finding = Finding(identity: identity, need: need)
        guard need != .none else { return finding }
        if case .older(let counter, let loaded) = need, olderVersion != package.manifest.version {
            throw .older(version: package.manifest.version, counter: counter, loaded: loaded)
        }
        let files = package.files
        for file in files {
            do { try file.check() } catch { throw .package(error) }
        }
        try await refuseLowBattery(of: reader)

        var first = 0
        if case .interrupted(let step, _, continues: true) = need { first = step }
        let percentage = Percentage(progress)
        percentage.report(0)
        // From here on the reader has no whole configuration until the last file is loaded.
        (state.stage, state.counter, state.installed) = (package.manifest.stage, package.manifest.counter, nil)
        func keep(step: Int) throws(SupplyError) {
            state.load = SupplyState.Load(
                version: package.manifest.version, digest: package.digest, step: step, steps: files.count)
            try folder.keep(state)
        }
        for index in first..<files.count {
            try keep(step: index)
            try await reader.load(files[index]) { part in
                let percent = 100 * (Double(index) + min(max(part, 0), 1)) / Double(files.count)
                percentage.report(Int(exactly: percent.rounded(.down)) ?? 0)
            }
        }
        try keep(step: files.count)
        try await reader.activate()
        state.load = nil
        state.installed = SupplyState.Installation(
            version: package.manifest.version, digest: package.digest, name: reader.name, firmware: identity.firmware)
        try folder.keep(state)
        percentage.report(100)
        return finding
    }

    // MARK: Checks

    private static func identity(of reader: some SuppliedReader) async throws(SupplyError) -> ReaderIdentity {
        let identity: ReaderIdentity
        do { identity = try await reader.identity() } catch { throw .reader(error) }
        guard let serialNumber = identity.serialNumber, serialNumber.unicodeScalars.count <= 64,
            (identity.maker ?? "").unicodeScalars.count <= 64
        else { throw .noSerialNumber }
        return identity
    }

    private func state(_ identity: ReaderIdentity) throws(SupplyError) -> SupplyState {
        let (maker, serialNumber) = (identity.maker ?? "", identity.serialNumber ?? "")
        return try folder.state(maker: maker, serialNumber: serialNumber)
            ?? SupplyState(maker: maker, serialNumber: serialNumber)
    }

    private func need(
        _ package: DevicePackage, _ reader: some SuppliedReader, identity: ReaderIdentity, state: SupplyState
    )
        -> SupplyNeed
    {
        SupplyNeed(package, state: state, name: reader.name, firmware: identity.firmware)
    }

    private func refuseUnfit(
        _ package: DevicePackage, _ reader: some SuppliedReader, identity: ReaderIdentity, state: SupplyState
    ) throws(SupplyError) {
        let manifest = package.manifest
        guard manifest.maker == identity.maker,
            manifest.models.isEmpty || identity.model.map(manifest.models.contains) ?? false
        else {
            throw .otherDevice
        }
        for stage in [stage, state.stage ?? stage] where stage != manifest.stage {
            throw .otherStage(package: manifest.stage, reader: stage)
        }
        for listing in manifest.files where !reader.loaders.contains(listing.loader) {
            throw .loaderNotSupported(listing.loader)
        }
    }

    private func refuseLowBattery(of reader: some SuppliedReader) async throws(SupplyError) {
        let battery: BatteryState?
        do { battery = try await reader.battery() } catch { throw .reader(error) }
        guard let percent = battery?.percent, percent <= Self.minimumBattery else { return }
        throw .batteryTooLow(percent: percent)
    }
}
