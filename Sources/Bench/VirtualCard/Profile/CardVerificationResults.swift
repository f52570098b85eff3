import TLV

/// CVR: the card's actions and findings, reported to the issuer in the issuer application data.
///
/// The codings are the payment systems' own, as card test tools publish them (openemv/emv-utils,
/// `emv_fields.h`), and that of the Common Core Definitions; bits that this card does not use are
/// zero.
struct CardVerificationResults {
    var first: CryptogramType
    /// Nil before the second GENERATE AC.
    var second: CryptogramType?
    var offlinePINPerformed = false
    var offlinePINFailed = false
    var pinTryLimitExceeded = false
    var issuerAuthenticationFailed = false
    var unableToGoOnline = false
    /// 0 for a card without PIN.
    var pinTriesLeft: UInt8 = 0
    var issuerCommands = ScriptHistory.Count()

    /// Bits 8–7 for the second cryptogram, 10 means not yet requested; bits 6–5 for the first. AAC
    /// is 00, TC 01, ARQC 10.
    private var cryptograms: UInt8 { (second?.rawValue ?? 0x80) | first.rawValue >> 2 }

    /// 4 bytes, the first of them the length of the others.
    var visa: [UInt8] {
        let first =
            cryptograms | bit(4, issuerAuthenticationFailed) | bit(3, offlinePINPerformed) | bit(2, offlinePINFailed)
            | bit(1, unableToGoOnline)
        return [
            0x03, first, bit(7, pinTryLimitExceeded), issuerCommands.succeeded << 4 | bit(4, issuerCommands.hasFailed),
        ]
    }

    /// 6 bytes.
    var mastercard: [UInt8] {
        let first = cryptograms | bit(3, offlinePINPerformed) | bit(1, offlinePINPerformed && !offlinePINFailed)
        let fourth =
            bit(7, unableToGoOnline) | bit(6, !offlinePINPerformed) | bit(5, offlinePINFailed)
            | bit(4, pinTryLimitExceeded)
        let fifth =
            bit(3, issuerAuthenticationFailed) | bit(2, !issuerCommands.isEmpty) | bit(1, issuerCommands.hasFailed)
        return [first, 0, issuerCommands.succeeded << 4 | pinTriesLeft & 0x0F, fourth, fifth, 0]
    }

    /// 5 bytes (EMV 4.4 Book 3, C9.3).
    var commonCore: [UInt8] {
        let second =
            pinTriesLeft << 4 | bit(4, offlinePINPerformed) | bit(3, offlinePINFailed) | bit(2, pinTryLimitExceeded)
        return [
            cryptograms | bit(1, issuerAuthenticationFailed), second, 0,
            issuerCommands.succeeded << 4 | bit(4, issuerCommands.hasFailed) | bit(1, unableToGoOnline), 0,
        ]
    }

    private func bit(_ number: UInt8, _ isSet: Bool) -> UInt8 { isSet ? 1 << (number - 1) : 0 }
}
