import EMVKernel
import SmartCard

/// Error indication: three levels, the card's status word and a message identifier (tag `DF8115`,
/// EMV Contactless Book C-2, annex A; tag `9F8204`, Book C-8, A.1.55).
package struct ErrorIndication {
    private enum Level1: UInt8 { case none = 0, timeOut, transmission, protocolError }
    private enum Level2: UInt8 {
        case none = 0x00
        case cardDataMissing = 0x01
        case dataAuthentication = 0x02
        case statusBytes = 0x03
        case parsing = 0x04
        case limitExceeded = 0x05
        case cardData = 0x06
        case magstripeMode = 0x07
        case dataStorageRead = 0x0B
        case dataStorageWrite = 0x0C
        case dataStorageData = 0x0D
        case dataStorageCryptogram = 0x0E
        case terminalData = 0x0F
        case decryption = 0x10
        case enhancedDataAuthentication = 0x13
    }

    private var level1 = Level1.none
    private var level2 = Level2.none
    private var status: StatusWord?
    private let message: UInt8

    package init(_ outcome: ContactlessOutcome) {
        message = outcome.onOutcome.map(\.message.rawValue) ?? 0xFF
        switch outcome.reason {
        case .termination(let termination): take(termination)
        case .secureChannel: level2 = .decryption
        case .enhancedDataAuthentication: level2 = .enhancedDataAuthentication
        case .answeredTooSoon: level2 = .cardData
        case .dataAuthentication: level2 = .dataAuthentication
        case .notAllowed: level2 = .limitExceeded
        case .magstripeModeOnly: level2 = .magstripeMode
        case .dataStorageRead: level2 = .dataStorageRead
        case .dataStorageWrite: level2 = .dataStorageWrite
        case .dataStorageData: level2 = .dataStorageData
        case .dataStorageCryptogram: level2 = .dataStorageCryptogram
        default: break
        }
    }

    private mutating func take(_ termination: Termination) {
        switch termination {
        case .channel(.timedOut), .channel(.cardRemoved): level1 = .timeOut
        case .channel(.malformedAnswer): level1 = .protocolError
        case .channel: level1 = .transmission
        case .commandFailed(_, let status): (level2, self.status) = (.statusBytes, status)
        case .malformedAnswer, .repeatedData: level2 = .parsing
        case .missingData: level2 = .cardDataMissing
        case .configuration: level2 = .terminalData
        default: level2 = .cardData
        }
    }

    /// 6 bytes; level 3 belongs to the terminal, and is zero.
    package var bytes: [UInt8] { [level1.rawValue, level2.rawValue, 0, status?.sw1 ?? 0, status?.sw2 ?? 0, message] }
}
