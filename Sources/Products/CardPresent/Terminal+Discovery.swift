public import CardCapture
public import CardReaders
public import Contactless
private import DeviceIO
public import EMVKernel
public import PaymentTerminal
import TerminalFiles

extension Terminal {
    /// Looks for readers for some time: those that are there, those that are plugged in meanwhile,
    /// and those that a Bluetooth search finds.
    ///
    /// - Parameter scanTime: Nil as ``TimeLimits/discovery`` has it; zero lists the readers that
    ///   are there, and those that bluetoothd knows.
    /// - Returns: The readers that are there at the end, for
    ///   ``connect(_:field:within:kernel:contactless:pinPad:update:)``.
    /// - Throws: ``TerminalError/Code/readerNotConnected`` if the machine cannot be asked for its
    ///   devices; ``TerminalError/Code/cancelled`` if the task is cancelled.
    public nonisolated func discoverReaders(for scanTime: Duration? = nil) async throws(TerminalError) -> [ReaderCatalog
        .Found]
    {
        do throws(DeviceError) {
            let scanTime = scanTime ?? configuration.limits.discovery
            return scanTime > .zero ? try await ReaderCatalog.discover(scanTime: scanTime) : try ReaderCatalog.readers()
        } catch {
            if error == .cancelled { throw TerminalError(.cancelled, "the search for readers was cancelled") }
            throw TerminalError(.readerNotConnected, "\(error): `cardpresent doctor` shows the fault")
        }
    }

    /// Finds a reader that can do `capabilities`, and connects it, as
    /// ``connect(_:field:within:kernel:contactless:pinPad:update:)`` does.
    ///
    /// - Parameters:
    ///   - capabilities: A plain reader has contacts or a field. Both are for readers with a kernel
    ///     of their own; two plain ones are found by ``discoverReaders(for:)`` and connected
    ///     together.
    ///   - scanTime: How long is looked for readers; zero takes one that is there.
    ///   - asksWhich: Whether the user is asked to choose among several readers
    ///     (``TerminalListener/onSelectReader(_:)``); otherwise the first is taken, one without
    ///     other interfaces before the others.
    ///   - kernel: As for a reader that was found.
    ///   - contactless: As for a reader that was found.
    ///   - pinPad: As for a reader that was found.
    ///   - update: As for a reader that was found.
    /// - Returns: What was connected.
    /// - Throws: ``TerminalError/Code/readerNotConnected`` if no such reader is found or it cannot
    ///   be opened; ``TerminalError/Code/cancelled`` if none was chosen;
    ///   ``TerminalError/Code/busy`` during an operation.
    @discardableResult
    public func connectReader(
        _ capabilities: ReaderCapabilities = .contactChip, scanTime: Duration = .zero, asksWhich: Bool = false,
        kernel: TerminalConfiguration? = nil, contactless: [Combination]? = nil, pinPad: (any PINPad)? = nil,
        update: ReaderCatalog.Found.Update? = nil
    ) async throws(TerminalError) -> ReaderCatalog.Found {
        let found = try await choose(among: discoverReaders(for: scanTime), capabilities, asksWhich: asksWhich)
        try await connect(
            found, kernels: Kernels(contacts: kernel, contactless: contactless, pinPad: pinPad),
            interface: capabilities.interface,
            within: nil, update: update)
        return found
    }

    func choose(
        among readers: [ReaderCatalog.Found], _ capabilities: ReaderCapabilities, asksWhich: Bool
    ) async throws(TerminalError) -> ReaderCatalog.Found {
        let able = readers.filter { reader in
            reader.family.capabilities.isSuperset(of: capabilities)
                && configuration.devices?.isEnabled(name: reader.name, identity: reader.identity) ?? true
        }
        let others = ReaderCapabilities.interfaces.subtracting(capabilities)
        let sorted =
            able.filter { $0.family.capabilities.isDisjoint(with: others) }
            + able.filter { !$0.family.capabilities.isDisjoint(with: others) }
        guard let first = sorted.first else {
            throw TerminalError(
                .readerNotConnected,
                "no reader with \(capabilities) was found: connect one; `cardpresent readers` lists the connected readers"
            )
        }
        guard asksWhich, sorted.count > 1 else { return first }
        guard let index = await chooseReader(among: sorted.map(ReaderRequest.Candidate.init)) else {
            throw TerminalError(.cancelled, "no reader was chosen")
        }
        return sorted[index]
    }
}

extension ReaderRequest.Candidate {
    fileprivate init(_ found: ReaderCatalog.Found) {
        let link: Link =
            switch found.node.kind {
            case .usb, .hid: .usb
            case .serial: .serial
            case .bluetooth: .bluetooth
            }
        self.init(name: found.name, link: link, place: found.node.node, identity: found.identity)
    }
}
