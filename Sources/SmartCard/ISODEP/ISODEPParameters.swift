/// What card and reader have settled for their blocks (ISO/IEC 14443-4:2008, 5.2 and 7.2).
package struct ISODEPParameters: Sendable, Equatable {
    /// The greatest FSD: bytes of a frame from the card, its CRC of two bytes included.
    package static let readerFrameSize = 256
    static let checksumLength = 2
    /// FSC for FSCI 0 to 8, in bytes. Greater ones stand for longer frames, of which no more than 256 bytes are used.
    private static let frameSizes = [16, 24, 32, 40, 48, 64, 96, 128, 256]
    /// 256 · 16 periods of 13.56 MHz.
    private static let unit = Duration.nanoseconds(302_065)
    /// 49152 periods, which a reader waits beyond the frame waiting time.
    private static let tolerance = Duration.nanoseconds(3_624_779)
    /// 65536 periods: how long RATS, ATTRIB and DESELECT may take.
    package static let activationTime = Duration.nanoseconds(4_833_039) + tolerance

    /// FSC: bytes of a frame to the card, its CRC included; 16 to 256.
    package private(set) var cardFrameSize: Int
    /// FWI, 0 to 14.
    let frameWaitingInteger: UInt8
    /// SFGI, 0 to 14.
    let guardInteger: UInt8

    /// Values for future use count as the standard has it: FWI 15 as 4, SFGI 15 as 0.
    ///
    /// - Parameters:
    ///   - frameSizeInteger: FSCI.
    ///   - frameWaitingInteger: FWI.
    ///   - guardInteger: SFGI.
    package init(frameSizeInteger: UInt8, frameWaitingInteger: UInt8, guardInteger: UInt8) {
        cardFrameSize = Self.frameSizes[min(Int(frameSizeInteger), Self.frameSizes.count - 1)]
        self.frameWaitingInteger = frameWaitingInteger > 14 ? 4 : frameWaitingInteger
        self.guardInteger = guardInteger > 14 ? 0 : guardInteger
    }

    /// The same with blocks of at most `count` bytes to the card, for readers that send no longer ones.
    package func limited(toBlocksOf count: Int) -> ISODEPParameters {
        var limited = self
        limited.cardFrameSize = min(cardFrameSize, count + Self.checksumLength)
        return limited
    }

    /// FWT: how long the card may take for a block; at most 5 s.
    package var waitingTime: Duration { Self.time(frameWaitingInteger) }

    /// SFGT: how long the card must be left alone after its answer to select; zero if it does not ask for it.
    package var guardTime: Duration { guardInteger == 0 ? .zero : Self.time(guardInteger) }

    /// The waiting time after the card has asked for it `multiplier` times (7.3).
    func extendedTime(_ multiplier: UInt8) -> Duration {
        min(Self.unit * (1 << Int(frameWaitingInteger)) * Int(multiplier), Self.unit * (1 << 14)) + Self.tolerance
    }

    /// INF bytes of a block to the card.
    var largestField: Int { cardFrameSize - 1 - Self.checksumLength }

    private static func time(_ integer: UInt8) -> Duration { unit * (1 << Int(integer)) + tolerance }
}
