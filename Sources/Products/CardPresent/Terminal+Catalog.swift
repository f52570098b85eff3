public import CardCapture
public import CardReaders
public import Contactless
private import DeviceIO
public import EMVKernel
public import PaymentTerminal
import TerminalFiles

extension Terminal {
    /// Opens a reader that was found, asks it who it is where its protocol can, and takes it for
    /// the operations to come. If it is unplugged, ``DeviceState`` says so at once; once it is
    /// plugged in again, it is connected again.
    ///
    /// A plain reader with contacts and a field is connected with its contacts. An ID TECH NEO
    /// reader takes taps and swipes, by its own kernels;
    /// ``connectReader(_:scanTime:asksWhich:kernel:contactless:pinPad:update:)`` connects its
    /// contacts.
    ///
    /// - Parameters:
    ///   - field: A contactless reader beside the contacts of the first: both wait, and the first
    ///     card counts. If one of them is lost, the terminal takes no card until it is back.
    ///   - timeLimit: For the reader to be opened; nil as ``TimeLimits/connection`` has it.
    ///   - kernel: For a plain chip reader, over which our kernel runs; nil as the terminal's file
    ///     has it. A reader with a kernel of its own has its own settings.
    ///   - contactless: For a plain contactless reader, over which our kernels run; nil as the
    ///     terminal's file has it.
    ///   - pinPad: Asked for PINs where our kernel runs and is configured for them.
    ///   - update: Updates the reader before it is opened for payments, as `DeviceSupplier` of the
    ///     library `DeviceSupply` does; nil for none. It ends when it reports nothing for
    ///     ``TimeLimits/update``.
    /// - Throws: ``TerminalError/Code/readerNotConnected`` if it cannot be opened, does not answer
    ///   as its family does, or not in time: ``TerminalError/readerFault`` says why;
    ///   ``TerminalError/Code/busy`` during an operation.
    public func connect(
        _ found: ReaderCatalog.Found, field: ReaderCatalog.Found? = nil, within timeLimit: Duration? = nil,
        kernel: TerminalConfiguration? = nil, contactless: [Combination]? = nil, pinPad: (any PINPad)? = nil,
        update: ReaderCatalog.Found.Update? = nil
    ) async throws(TerminalError) {
        try await connect(
            found, field: field, kernels: Kernels(contacts: kernel, contactless: contactless, pinPad: pinPad),
            interface: field == nil ? found.family.capabilities.interface : .contact, within: timeLimit, update: update)
    }

    func connect(
        _ found: ReaderCatalog.Found, field: ReaderCatalog.Found? = nil, kernels: Kernels,
        interface: ReaderEvent.CardInterface,
        within timeLimit: Duration?, update: ReaderCatalog.Found.Update?
    ) async throws(TerminalError) {
        let info = ReaderInfo(name: found.name, capabilities: found.family.capabilities, identity: found.identity)
        let attempt = try beginConnecting(info)
        do throws(TerminalError) {
            if let update { try await updating(info) { progress in try await update(found, progress) } }
            let late = TerminalError(
                .readerNotConnected,
                "\(found.name) was not opened in time: check that it is on and in range, and reconnect it",
                readerFault: .silent)
            try await PaymentTerminal.within(
                timeLimit ?? configuration.limits.connection, grace: configuration.limits.standDown, isAwaited: true,
                orElse: late
            ) { [self] () async throws(TerminalError) in
                try await open(found, field: field, kernels: kernels, interface: interface)
            }
        } catch {
            endConnecting(attempt, error)
            throw error
        }
    }

    private func open(
        _ found: ReaderCatalog.Found, field: ReaderCatalog.Found?, kernels: Kernels,
        interface: ReaderEvent.CardInterface
    ) async throws(TerminalError) {
        let cardholder = TerminalCardholder(
            pinPad: kernels.pinPad, capabilities: (kernels.contacts ?? file?.kernel)?.additionalCapabilities ?? [],
            limit: configuration.limits.person)
        let reader = try await open(found, interface: interface, cardholder)
        var readers = OpenReaders(first: (found, reader), interface: interface, cardholder: cardholder)
        if let field { readers.field = (field, try await open(field, interface: .contactless, cardholder)) }
        if Task.isCancelled { throw TerminalError(.cancelled, "the connection was cancelled") }
        try await connect(readers, kernels)
    }

    private func open(
        _ found: ReaderCatalog.Found, interface: ReaderEvent.CardInterface, _ cardholder: TerminalCardholder
    ) async throws(TerminalError) -> OpenedReader {
        do throws(DeviceError) {
            return try await found.open(clock: clock, choose: cardholder.choose, interface: interface)
        } catch {
            throw TerminalError(
                .readerNotConnected, "\(error): `cardpresent doctor` shows the fault",
                readerFault: TerminalError.ReaderFault(error))
        }
    }

    private func connect(_ readers: OpenReaders, _ kernels: Kernels) async throws(TerminalError) {
        var field: (any CardSlot)?
        if let (found, opened) = readers.field {
            guard case .chip(let slot) = opened else {
                throw TerminalError(
                    .invalidRequest, "\(found.name) gives no access to contactless cards: use another reader")
            }
            field = slot
        }
        if case .reader(let reader) = readers.first.opened, field == nil {
            try connect(reader, cardholder: readers.cardholder, identity: readers.first.found.identity)
        } else {
            try await connect(
                readers.first.opened, field: field, kernel: kernels.contacts, contactless: kernels.contactless,
                pinPad: kernels.pinPad,
                identity: readers.first.found.identity)
        }
        for (found, opened) in [readers.first, readers.field].compactMap(\.self) {
            // bluetoothd forgets devices that are there; a machine without udev has no changes to
            // tell.
            guard found.node.kind != .bluetooth, let monitor = try? DeviceMonitor(bus: nil) else { continue }
            whileConnected { [weak self] in
                guard (try? await monitor.start()) != nil else { return }
                await ReaderWatch(found, opened).run(monitor.changes, isPresent: monitor.isPresent(found.node)) {
                    arrived in
                    await self?.reconnect(arrived, inPlaceOf: found, of: readers, kernels) ?? true
                }
                await monitor.stop()
            }
        }
    }

    /// - Returns: Whether there is nothing left to wait for.
    private func reconnect(
        _ arrived: ReaderCatalog.Found, inPlaceOf lost: ReaderCatalog.Found, of readers: OpenReaders, _ kernels: Kernels
    ) async -> Bool {
        while !Task.isCancelled {
            do throws(TerminalError) {
                // The other reader is still open.
                var readers = readers
                if lost == readers.first.found {
                    readers.first = (arrived, try await open(arrived, interface: readers.interface, readers.cardholder))
                } else {
                    readers.field = (arrived, try await open(arrived, interface: .contactless, readers.cardholder))
                }
                try await connect(readers, kernels)
                return true
            } catch {
                // A payment that runs ends without the reader first.
                guard error.code == .busy else { return false }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        return true
    }

    /// Takes a reader that was opened, with our kernels over a plain chip slot; the other
    /// parameters are for that one alone.
    ///
    /// - Parameters:
    ///   - field: A contactless reader beside the contacts of the first.
    ///   - identity: What is known of the device.
    public func connect(
        _ opened: OpenedReader, field: (any CardSlot)? = nil, kernel: TerminalConfiguration? = nil,
        contactless: [Combination]? = nil,
        pinPad: (any PINPad)? = nil, identity: ReaderIdentity? = nil
    ) async throws(TerminalError) {
        switch opened {
        case .chip(let slot):
            try connect(
                slot, field: field, kernel: kernel, contactless: contactless, pinPad: pinPad, identity: identity)
        case .chipAndMagstripe(let slot, let magstripe):
            try connect(
                slot, field: field, magstripe: magstripe, kernel: kernel, contactless: contactless, pinPad: pinPad,
                identity: identity)
        case .magstripe, .reader:
            guard field == nil else {
                throw TerminalError(
                    .invalidRequest, "a field is added to a plain chip reader alone: connect one of the readers")
            }
            if case .magstripe(let slot) = opened {
                let languages = (kernel ?? file?.kernel)?.languages ?? []
                try connect(MagstripeReader(slot: slot, languages: languages), identity: identity)
            }
            if case .reader(let reader) = opened { try connect(reader, identity: identity) }
        }
    }
}

extension ReaderCatalog.Found {
    /// Updates a reader that is not open. It reports its progress in percent, from 0 to 100, and
    /// nothing if the reader needs no update.
    public typealias Update =
        @Sendable (_ reader: ReaderCatalog.Found, _ progress: @escaping @Sendable (Int) -> Void) async throws -> Void
}

extension TerminalError.ReaderFault {
    fileprivate init(_ error: DeviceError) {
        switch error {
        case .notFound, .disconnected: self = .notFound
        case .accessDenied: self = .accessDenied
        case .busy: self = .busy
        case .timedOut, .asleep, .notListening, .cancelled: self = .silent
        default: self = .other
        }
    }
}

/// What runs over a plain reader.
struct Kernels {
    let contacts: TerminalConfiguration?
    let contactless: [Combination]?
    let pinPad: (any PINPad)?
}

/// The readers that a terminal has opened.
private struct OpenReaders {
    typealias Opened = (found: ReaderCatalog.Found, opened: OpenedReader)

    var first: Opened
    /// A field beside the contacts of the first.
    var field: Opened?
    /// Of the first.
    let interface: ReaderEvent.CardInterface
    /// Asked by readers with a kernel of their own.
    let cardholder: TerminalCardholder
}

extension ReaderCapabilities {
    static let interfaces: Self = [.contactChip, .contactlessChip, .magneticStripe]

    /// Where a card is requested at a reader with these alone: at the contacts, unless taps are for
    /// its own kernel.
    var interface: ReaderEvent.CardInterface {
        contains(.contactlessChip) && (!contains(.contactChip) || contains(.ownKernel)) ? .contactless : .contact
    }
}
