public import CardCapture
public import EMVKernel

extension Terminal {
    /// Takes a plain chip reader, with our contact kernel over it. Choices of the cardholder become events of this terminal.
    ///
    /// - Parameters:
    ///   - magstripe: Read beside the chip, and instead of it where EMV has a fallback.
    ///   - kernel: Which applications the terminal takes, and what it can do.
    ///   - pinPad: Asked for PINs; nil if the kernel is configured without.
    ///   - observer: Told what passes between kernel and card.
    /// - Throws: ``TerminalError/Code/testEquipment`` if slot, keys or PIN pad are for tests and the terminal is not;
    ///   ``TerminalError/Code/invalidRequest`` if the slot has a field and no contacts; ``TerminalError/Code/busy`` during an operation.
    public func connect(
        _ slot: any CardSlot, magstripe: (any MagstripeSlot)? = nil, kernel: TerminalConfiguration, pinPad: (any PINPad)? = nil,
        observer: ChipReader.Observer = ChipReader.Observer()
    ) throws(TerminalError) {
        guard slot.capabilities.contains(.contactChip) || !slot.capabilities.contains(.contactlessChip) else {
            throw TerminalError(.invalidRequest, "\(slot.name) has no contacts: connect a ContactlessReader over it")
        }
        let cardholder = TerminalCardholder(
            pinPad: pinPad, capabilities: kernel.additionalCapabilities, limit: configuration.limits.person)
        let chip = ChipReader(slot: slot, kernel: ContactKernel(kernel), cardholder: cardholder, clock: clock, observer: observer)
        guard let magstripe else { return try connect(chip, cardholder: cardholder) }
        try connect(ChipAndMagstripeReader(chip: chip, stripe: magstripe), cardholder: cardholder)
    }
}
