internal import CDeviceIO

/// Why a request through PC/SC failed. The texts name the cure.
public enum PCSCError: Error, Hashable, Sendable {
    /// libpcsclite is not installed.
    case noLibrary
    /// pcscd does not run.
    case noService
    /// polkit denies this user access to pcscd.
    case accessDenied
    case noReader
    /// Another program uses the card or the reader.
    case inUse
    case noCard
    case cardRemoved
    /// The card is mute, or another program reset it or switched it off.
    case cardLost
    case cancelled
    case timedOut
    /// Any other error of PC/SC (PC/SC part 5).
    case other(UInt32)

    init(_ code: UInt32) {
        switch code {
        case CDIO_PCSC_NO_LIBRARY: self = .noLibrary
        case 0x8010_001D, 0x8010_001E: self = .noService
        case 0x8010_006A: self = .accessDenied
        case 0x8010_0009, 0x8010_0017, 0x8010_002E: self = .noReader
        case 0x8010_000B: self = .inUse
        case 0x8010_000C: self = .noCard
        case 0x8010_0069: self = .cardRemoved
        case 0x8010_0066, 0x8010_0067, 0x8010_0068: self = .cardLost
        case 0x8010_0002: self = .cancelled
        case 0x8010_000A: self = .timedOut
        default: self = .other(code)
        }
    }
}

extension PCSCError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noLibrary: "PC/SC is not installed: sudo apt-get install pcscd"
        case .noService: "the PC/SC service is not running: sudo systemctl start pcscd.socket"
        case .accessDenied:
            "this user has no permission to use the PC/SC service: log in at the machine, or add a polkit rule"
        case .noReader: "PC/SC reader not found: connect it, or list the readers with `cardpresent readers`"
        case .inUse:
            "another program uses the card through PC/SC: stop it (often gpg's scdaemon: gpgconf --kill scdaemon)"
        case .noCard: "there is no card in the reader"
        case .cardRemoved: "the card was removed"
        case .cardLost: "the card does not answer, or another program reset it: remove the card and insert it again"
        case .cancelled: "the operation was cancelled"
        case .timedOut: "the PC/SC operation timed out"
        case .other(let code): "PC/SC failed with \(String(code, radix: 16, uppercase: true))"
        }
    }
}
