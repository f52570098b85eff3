public import CardCapture
public import CardReaders
private import DeviceIO
public import EMVKernel
public import PaymentTerminal

extension Terminal {
    /// Finds a reader that can do `capabilities`, opens it, and takes it for the operations to come.
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
        let (found, opened) = try await Self.open(capabilities, clock)
        try await connect(opened, kernel: kernel, pinPad: pinPad)
        return found
    }

    private static func open(
        _ capabilities: ReaderCapabilities, _ clock: @escaping @Sendable () -> Timestamp
    ) async throws(TerminalError) -> (ReaderCatalog.Found, OpenedReader) {
        do throws(DeviceError) {
            let found = try ReaderCatalog.readers().first { $0.model.family.capabilities.isSuperset(of: capabilities) }
            if let found { return (found, try await found.open(clock: clock)) }
        } catch {
            throw TerminalError(.readerNotConnected, "\(error): `cardpresent doctor` says what is wrong")
        }
        throw TerminalError(
            .readerNotConnected, "no reader with \(capabilities) was found: connect one; `cardpresent readers` lists what is there")
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
