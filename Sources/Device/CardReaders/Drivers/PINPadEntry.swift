internal import EMVKernel
internal import SmartCard

/// A PIN entry at the reader's own PIN pad, and the command that takes the PIN. The PIN goes from
/// the keypad directly to the card (USB CCID 1.1, 6.1.11 and 6.1.12; PC/SC part 10, 2.5).
///
/// The PIN travels as a block of ISO 9564-1 format 2: `2` and the number of digits, the digits in
/// BCD, filled up with `F` to eight bytes.
struct PINPadEntry: Equatable {
    enum Operation: Equatable {
        /// VERIFY of the PIN that `qualifier`, P2, selects.
        case verify(qualifier: UInt8)
        /// CHANGE REFERENCE DATA (ISO/IEC 7816-4) from the old PIN to a new one; with confirmation,
        /// the cardholder enters the new one twice.
        case change(qualifier: UInt8, confirms: Bool)
    }

    var operation: Operation
    /// In seconds; 0 for the reader's default.
    var timeout: UInt8 = 30
    /// The minimum and maximum number of digits.
    var digits = 4...12
    /// The Windows language identifier, for readers with a display; English (United States).
    var language: UInt16 = 0x0409

    /// The command with an empty block for each PIN.
    var command: [UInt8] {
        let block = [0x20] + [UInt8](repeating: 0xFF, count: 7)
        switch operation {
        case .verify(let qualifier): return [0x00, 0x20, 0x00, qualifier, 0x08] + block
        case .change(let qualifier, _): return [0x00, 0x24, 0x00, qualifier, 0x10] + block + block
        }
    }

    /// abData of PC_to_RDR_Secure.
    ///
    /// - Parameter prologue: The prologue of the T=1 block with the command, if the reader
    ///   exchanges TPDUs; else zeros.
    func bytes(prologue: [UInt8] = [0, 0, 0]) -> [UInt8] {
        // Unit bytes: the digits begin at the second byte, left-justified, in BCD. Four bits of
        // length, a block of seven bytes; the length begins at the fourth bit.
        let format: [UInt8] = [0x89, 0x47, 0x04]
        let most: [UInt8] = [UInt8(clamping: digits.upperBound), UInt8(clamping: digits.lowerBound)]
        let language = [UInt8(language & 0xFF), UInt8(truncatingIfNeeded: language >> 8)]
        // The entry ends when the validation key is pressed.
        let validation: UInt8 = 0x02
        switch operation {
        case .verify:
            // One message: the reader's first.
            return [0x00, timeout] + format + most + [validation, 0x01] + language + [0x00] + prologue + command
        case .change(_, let confirms):
            // Offsets of old and new block; asks for the old PIN, too. Three messages: old, new,
            // new again.
            return [0x01, timeout] + format + [0x00, 0x08] + most + [0x02 | (confirms ? 0x01 : 0), validation, 0x03]
                + language
                + [0x00, 0x01, 0x02] + prologue + command
        }
    }

    /// PIN_VERIFY_STRUCTURE or PIN_MODIFY_STRUCTURE of PC/SC part 10, 2.5.2 and 2.5.3: unlike the
    /// CCID message, they have no operation byte. They have a second timeout, and the length of the
    /// command before it, low byte first.
    var structure: [UInt8] {
        let message = bytes()
        let length = (0..<4).map { (byte: Int) -> UInt8 in UInt8(truncatingIfNeeded: command.count >> (8 * byte)) }
        let middle = message.dropFirst(2).dropLast(command.count)
        return [timeout, timeout] + middle + length + command
    }

    /// 6400: no PIN was entered in time (PC/SC part 10, 2.5).
    static let timedOut = StatusWord(rawValue: 0x6400)
    /// 6401: the cardholder cancelled.
    static let cancelled = StatusWord(rawValue: 0x6401)

    /// How long the reader may take: its default timeout is unknown, and the card's own time
    /// follows it.
    var answerTimeout: Duration { .seconds(max(90, Int(timeout) + 10)) }
}

extension OfflinePINEntry {
    /// The result of an entry at a reader's PIN pad; `status` is nil if the reader has none. An
    /// entry that times out counts as no entry.
    init(ofPad status: StatusWord?) {
        switch status {
        case nil: self = .failed
        case PINPadEntry.timedOut?: self = .bypassed
        case PINPadEntry.cancelled?: self = .cancelled
        case let status?: self = .answered(status)
        }
    }
}
