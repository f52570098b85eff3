public import CardCapture
public import CardReaders
private import DeviceIO
public import EMVKernel
public import PaymentTerminal

extension Terminal {
    /// Finds a reader that can do `capabilities`, opens it, and takes it for the operations to come. If it is unplugged, ``DeviceState`` says so
    /// at once; once it is plugged in again, it is connected again.
    ///
    /// - Parameters:
    ///   - kernel: For a plain chip reader, over which our kernel runs. A reader with a kernel of its own has its own settings.
    ///   - pinPad: Asked for PINs where our kernel runs and is configured for them.
    /// - Returns: What was connected.
    /// - Throws: ``TerminalError/Code/readerNotConnected`` if no such reader is found or it cannot be opened;
    ///   ``TerminalError/Code/busy`` during an operation.
    @discardableResult
    public func connectReader(
        _ capabilities: ReaderCapabilities = .contactChip, kernel: TerminalConfiguration, pinPad: (any PINPad)? = nil
    ) async throws(TerminalError) -> ReaderCatalog.Found {
        let found = try Self.find(capabilities)
        try await connect(found, kernel: kernel, pinPad: pinPad)
        return found
    }

    private static func find(_ capabilities: ReaderCapabilities) throws(TerminalError) -> ReaderCatalog.Found {
        do throws(DeviceError) {
            if let found = try ReaderCatalog.readers().first(where: { $0.family.capabilities.isSuperset(of: capabilities) }) {
                return found
            }
        } catch {
            throw TerminalError(.readerNotConnected, "\(error): `cardpresent doctor` shows the fault")
        }
        throw TerminalError(
            .readerNotConnected, "no reader with \(capabilities) was found: connect one; `cardpresent readers` lists the connected readers")
    }

    /// Opens a reader that was found, and takes it for the operations to come; as ``connectReader(_:kernel:pinPad:)`` otherwise.
    public func connect(
        _ found: ReaderCatalog.Found, kernel: TerminalConfiguration, pinPad: (any PINPad)? = nil
    ) async throws(TerminalError) {
        let cardholder = TerminalCardholder(
            pinPad: pinPad, capabilities: kernel.additionalCapabilities, limit: configuration.limits.person)
        let opened: OpenedReader
        do throws(DeviceError) {
            opened = try await found.open(clock: clock, choose: cardholder.choose)
        } catch {
            throw TerminalError(.readerNotConnected, "\(error): `cardpresent doctor` shows the fault")
        }
        if case .reader(let reader) = opened {
            try connect(reader, cardholder: cardholder)
        } else {
            try await connect(opened, kernel: kernel, pinPad: pinPad)
        }
        // bluetoothd forgets devices that are there; a machine without udev has no changes to tell.
        guard found.node.kind != .bluetooth, let monitor = try? DeviceMonitor(bus: nil) else { return }
        whileConnected { [weak self] in
            guard (try? await monitor.start()) != nil else { return }
            await ReaderWatch(found, opened).run(monitor.changes) { arrived in
                await self?.reconnect(arrived, kernel: kernel, pinPad: pinPad) ?? true
            }
            await monitor.stop()
        }
    }

    /// - Returns: Whether there is nothing left to wait for.
    private func reconnect(_ found: ReaderCatalog.Found, kernel: TerminalConfiguration, pinPad: (any PINPad)?) async -> Bool {
        while !Task.isCancelled {
            do throws(TerminalError) {
                try await connect(found, kernel: kernel, pinPad: pinPad)
                return true
            } catch {
                // A payment that runs ends without the reader first.
                guard error.code == .busy else { return false }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        return true
    }

    /// Takes a reader that was opened, with our kernel over a plain chip slot; `kernel` and `pinPad` are for that one alone.
    public func connect(
        _ opened: OpenedReader, kernel: TerminalConfiguration, pinPad: (any PINPad)? = nil
    ) async throws(TerminalError) {
        switch opened {
        case .chip(let slot): try connect(slot, kernel: kernel, pinPad: pinPad)
        case .magstripe(let slot): try connect(MagstripeReader(slot: slot))
        case .chipAndMagstripe(let slot, let magstripe): try connect(slot, magstripe: magstripe, kernel: kernel, pinPad: pinPad)
        case .reader(let reader): try connect(reader)
        }
    }
}
