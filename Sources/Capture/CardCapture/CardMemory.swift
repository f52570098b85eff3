public import Bytes
import EMVKernel
import TLV

/// What a terminal remembers of cards, for terminal risk management.
///
/// Our kernels ask it, over contact and contactless slots. A device with a kernel of its own does
/// not.
public protocol CardMemory: Sendable {
    /// Whether the terminal's exception file lists the card (EMV 4.4 Book 4, 6.3.5).
    ///
    /// - Parameters:
    ///   - pan: ASCII digits.
    ///   - sequenceNumber: Tag `5F34`, format n 2; nil if the card has none.
    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool

    /// The amount of the card's last payment at this terminal, to detect sales that are split to
    /// stay below the floor limit (EMV 4.4 Book 3, 10.6.1): minor units, 0 if there is none.
    ///
    /// - Parameter pan: ASCII digits.
    func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64

    /// The records of the last ``keepTornTransactions(_:)``, also of one before a restart; empty if
    /// it was never called. Nil (the default) if the memory does not keep them: the reader then
    /// keeps them until the process ends.
    func tornTransactions() async throws(CaptureError) -> SecretBytes?

    /// Keeps taps whose GENERATE AC got no answer (EMV Contactless Book C-2, torn transactions),
    /// They replace the previous ones and are durable when the call returns. The reader defines the
    /// format. The bytes are secret: they may contain a card number.
    ///
    /// - Throws: ``CaptureError/memoryFailed``. The tap then ends without a payment.
    func keepTornTransactions(_ records: SecretBytes) async throws(CaptureError)
}

extension CardMemory {
    public func tornTransactions() async throws(CaptureError) -> SecretBytes? { nil }
    public func keepTornTransactions(_ records: SecretBytes) async throws(CaptureError) {}
}

/// A kernel's environment with the memory of the terminal.
struct RememberingEnvironment: EMVEnvironment {
    let environment: any EMVEnvironment
    let memory: any CardMemory

    func unpredictableNumber() -> [UInt8] { environment.unpredictableNumber() }
    func values(for use: CardListUse) -> DataElements { environment.values(for: use) }
    func randomPercentage() -> Int { environment.randomPercentage() }

    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool {
        memory.isOnExceptionFile(pan: pan, sequenceNumber: sequenceNumber)
            || environment.isOnExceptionFile(pan: pan, sequenceNumber: sequenceNumber)
    }

    func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64 {
        max(
            memory.amountOfLastTransaction(pan: pan, sequenceNumber: sequenceNumber),
            environment.amountOfLastTransaction(pan: pan, sequenceNumber: sequenceNumber))
    }
}

extension EMVEnvironment {
    /// This environment with what the terminal of the request remembers.
    func remembering(_ memory: (any CardMemory)?) -> any EMVEnvironment {
        memory.map { RememberingEnvironment(environment: self, memory: $0) } ?? self
    }
}
