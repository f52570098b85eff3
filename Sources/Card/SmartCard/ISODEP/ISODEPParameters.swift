/// The parameters that card and reader use for their blocks (ISO/IEC 14443-4:2008, 5.2 and 7.2).
package struct ISODEPParameters: Sendable, Equatable {
    /// The maximum FSD: bytes of a frame from the card, including its CRC of two bytes.
    package static let readerFrameSize = 256
    static let checksumLength = 2
    /// FSC for FSCI 0 to 8, in bytes. Greater values mean longer frames, but at most 256 bytes are
    /// used.
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

    /// Reserved values are interpreted as in the standard: FWI 15 as 4, SFGI 15 as 0.
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

    /// These parameters with blocks of at most `count` bytes to the card, for readers with a
    /// shorter maximum.
    package func limited(toBlocksOf count: Int) -> ISODEPParameters {
        var limited = self
        limited.cardFrameSize = min(cardFrameSize, count + Self.checksumLength)
        return limited
    }

    /// FWT: how long the card may take for a block; at most 5 s.
    package var waitingTime: Duration { Self.time(frameWaitingInteger) }

    /// SFGT: how long the reader must wait after the card's answer to select; zero if the card does
    /// not request it.
    package var guardTime: Duration { guardInteger == 0 ? .zero : Self.time(guardInteger) }

    /// The waiting time extended by `multiplier` (7.3).
    func extendedTime(_ multiplier: UInt8) -> Duration {
        min(Self.unit * (1 << Int(frameWaitingInteger)) * Int(multiplier), Self.unit * (1 << 14)) + Self.tolerance
    }

    /// INF bytes of a block to the card.
    var largestField: Int { cardFrameSize - 1 - Self.checksumLength }

    private static func time(_ integer: UInt8) -> Duration { unit * (1 << Int(integer)) + tolerance }
}
