internal import EMVKernel
internal import SmartCard

/// What the reader's own PIN pad is to ask for and to put into a command: the PIN goes from its keys to the card, and to nobody else (USB CCID 1.1, 6.1.11 and
/// 6.1.12; PC/SC part 10, 2.5).
///
/// The PIN travels as a block of ISO 9564-1 format 2: `2` and the number of digits, the digits in BCD, filled up with `F` to eight bytes.
struct PINPadEntry: Equatable {
    enum Operation: Equatable {
        /// VERIFY of the PIN that `qualifier`, P2, says.
        case verify(qualifier: UInt8)
        /// CHANGE REFERENCE DATA (ISO/IEC 7816-4) from the old PIN to a new one; with confirmation the new one is asked for twice.
        case change(qualifier: UInt8, confirms: Bool)
    }

    var operation: Operation
    /// In seconds, 0 for the reader's own.
    var timeout: UInt8 = 30
    /// Digits, from and to.
    var digits = 4...12
    /// Windows' number of a language, for readers with a display; English (United States).
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
    /// - Parameter prologue: Of the block of T=1 that carries the command, where the reader exchanges TPDUs; else zeros.
    func bytes(prologue: [UInt8] = [0, 0, 0]) -> [UInt8] {
        // In bytes: the digits begin at the second, on the left, in BCD. Four bits of length, a block of seven bytes; the length from the fourth bit on.
        let format: [UInt8] = [0x89, 0x47, 0x04]
        let most: [UInt8] = [UInt8(clamping: digits.upperBound), UInt8(clamping: digits.lowerBound)]
        let language = [UInt8(language & 0xFF), UInt8(truncatingIfNeeded: language >> 8)]
        // The entry is over when its key is pressed.
        let validation: UInt8 = 0x02
        switch operation {
        case .verify:
            // One message, the reader's first.
            return [0x00, timeout] + format + most + [validation, 0x01] + language + [0x00] + prologue + command
        case .change(_, let confirms):
            // Old block, new block; asks for the old PIN too. Three messages: old, new, new again.
            return [0x01, timeout] + format + [0x00, 0x08] + most + [0x02 | (confirms ? 0x01 : 0), validation, 0x03] + language
                + [0x00, 0x01, 0x02] + prologue + command
        }
    }

    /// PIN_VERIFY_STRUCTURE or PIN_MODIFY_STRUCTURE of PC/SC part 10, 2.5.2 and 2.5.3: a second time out, and the length of the command before it, low byte first, where the reader's own message has its operation and none.
    var structure: [UInt8] {
        let message = bytes()
        // fits: a PIN command has at most some dozen bytes
        let length = UInt32(command.count)
        let middle = message.dropFirst(2).dropLast(command.count)
        return [timeout, timeout] + middle + (0..<4).map { UInt8(length >> (8 * $0) & 0xFF) } + command
    }

    /// 6400: no PIN was entered in time (PC/SC part 10, 2.5).
    static let timedOut = StatusWord(rawValue: 0x6400)
    /// 6401: the cardholder cancelled.
    static let cancelled = StatusWord(rawValue: 0x6401)

    /// How long the reader may take: its own time out is not told, and the card comes after it.
    var answerTimeout: Duration { .seconds(max(90, Int(timeout) + 10)) }
}

extension OfflinePINEntry {
    /// The result of an entry at a reader's pad; nil if the reader has no pad. An entry that times out counts as no entry.
    init(ofPad status: StatusWord?) {
        switch status {
        case nil: self = .failed
        case PINPadEntry.timedOut?: self = .bypassed
        case PINPadEntry.cancelled?: self = .cancelled
        case let status?: self = .answered(status)
        }
    }
}
