public import CardCapture
public import Contactless
public import EMVKernel
public import PaymentTerminal

extension Terminal {
    /// The default kernels of plain readers; nil for a terminal without a file.
    package nonisolated var file: TerminalFile? { origin as? TerminalFile }

    /// A terminal with the configuration of a file. Plain readers run the kernels of the file.
    ///
    /// - Parameters:
    ///   - host: Who decides on payments, in production a gateway.
    ///   - journal: What the terminal is about to do and owes the host; in production one on a
    ///     disk.
    ///   - clock: Tells the time that goes to hosts, cards and receipts.
    public init(
        _ file: TerminalFile, host: any PaymentHost, journal: any TransactionJournal,
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.init(configuration: file.terminal, origin: file, host: host, journal: journal, clock: clock)
    }

    /// Connects a plain chip reader, with our kernels over it. Choices of the cardholder become
    /// events of this terminal.
    ///
    /// With several interfaces, the reader waits at all of them, and the first card wins
    /// (``CardCapture/MultiInterfaceReader``).
    ///
    /// - Parameters:
    ///   - slot: Contacts, or the field of a contactless reader.
    ///   - field: The field of a contactless reader, in addition to the contacts of `slot`.
    ///   - magstripe: Read in addition to the chip, and in its place for an EMV fallback.
    ///   - kernel: The contact applications and the capabilities of the terminal; nil for those of
    ///     the terminal's file.
    ///   - contactless: The contactless applications with their limits; nil for those of the file
    ///     (``TerminalFile/contactless``).
    ///   - pinPad: Asked for PINs; nil if the kernel is configured without.
    ///   - observer: Receives what passes between kernel and card.
    ///   - identity: What is known of the device behind `slot`.
    /// - Throws: ``TerminalError/Code/testEquipment`` if slot, keys or PIN pad are for tests and
    ///   the terminal is not; ``HostError/Refusal/invalidRequest`` without a kernel, for a field
    ///   without contactless applications, or a slot in the other's place;
    ///   ``TerminalError/Code/busy`` during an operation.
    public func connect(
        _ slot: any CardSlot, field: (any CardSlot)? = nil, magstripe: (any MagstripeSlot)? = nil,
        kernel: TerminalConfiguration? = nil, contactless: [Combination]? = nil, pinPad: (any PINPad)? = nil,
        observer: ChipReader.Observer = ChipReader.Observer(),
        identity: ReaderIdentity? = nil
    ) throws(TerminalError) {
        guard let kernel = kernel ?? file?.kernel else {
            throw TerminalError(
                .invalidRequest,
                "no kernel for a plain reader: create the terminal from a file (docs/terminal-file.md), or name a kernel"
            )
        }
        let contactless = contactless ?? file?.contactless ?? []
        let cardholder = TerminalCardholder(
            pinPad: pinPad, capabilities: kernel.additionalCapabilities, limit: configuration.limits.person)
        func tapped(_ field: any CardSlot) throws(TerminalError) -> ContactlessReader {
            guard field.capabilities.contains(.contactlessChip) else {
                throw TerminalError(.invalidRequest, "\(field.name) has no field: give a contactless reader")
            }
            guard !contactless.isEmpty else {
                throw TerminalError(
                    .invalidRequest, "no contactless applications: name them under contactless (docs/terminal-file.md)")
            }
            return ContactlessReader(
                slot: field, configuration: EntryPointConfiguration(terminal: kernel, combinations: contactless),
                cardholder: cardholder, clock: clock, observe: observer.exchange)
        }
        guard slot.capabilities.contains(.contactChip) || !slot.capabilities.contains(.contactlessChip) else {
            guard field == nil, magstripe == nil else {
                throw TerminalError(.invalidRequest, "\(slot.name) has no contacts: give the reader that has them")
            }
            return try connect(tapped(slot), cardholder: cardholder, identity: identity)
        }
        let chip = ChipReader(
            slot: slot, kernel: ContactKernel(kernel), cardholder: cardholder, clock: clock, observer: observer)
        switch (field, magstripe) {
        case (let field?, _):
            try connect(
                MultiInterfaceReader(contactless: tapped(field), chip: chip, stripe: magstripe), cardholder: cardholder,
                identity: identity)
        case (nil, let magstripe?):
            try connect(MultiInterfaceReader(chip: chip, stripe: magstripe), cardholder: cardholder, identity: identity)
        case (nil, nil): try connect(chip, cardholder: cardholder, identity: identity)
        }
    }
}
