import DeviceIO

/// A command to an MSR605 reader: escape, a letter and its parameters (MSR605 programmer's manual,
/// section 6).
package enum MSR605Command: Sendable, Equatable {
    /// Returns the reader to idle; it has no answer.
    case reset
    /// The answer is escape `y`.
    case communicationTest
    /// Reads the next stripe as characters.
    case read
    /// Reads the next stripe as codes, including parity and redundancy check.
    case readRaw
    /// Writes codes to the next stripe: one array for each track, one byte for each code.
    case writeRaw([[UInt8]])
    /// The answer is escape, a digit and `S`.
    case model
    case firmwareVersion
    case highCoercivity
    case lowCoercivity
    case lights(Lights)

    package enum Lights: UInt8, Sendable {
        case off = 0x81
        case on = 0x82
        case green = 0x83
        case yellow = 0x84
        case red = 0x85
    }

    static let escape: UInt8 = 0x1B
    /// `?` and the file separator, after the tracks.
    static let end: [UInt8] = [0x3F, 0x1C]

    /// - Throws: ``DeviceError/rejected(_:)`` for a track of more than 255 codes, because its
    ///   length has one byte.
    package var bytes: [UInt8] {
        get throws(DeviceError) {
            switch self {
            case .reset: return [Self.escape, 0x61]
            case .communicationTest: return [Self.escape, 0x65]
            case .read: return [Self.escape, 0x72]
            case .readRaw: return [Self.escape, 0x6D]
            case .model: return [Self.escape, 0x74]
            case .firmwareVersion: return [Self.escape, 0x76]
            case .highCoercivity: return [Self.escape, 0x78]
            case .lowCoercivity: return [Self.escape, 0x79]
            case .lights(let lights): return [Self.escape, lights.rawValue]
            case .writeRaw(let tracks):
                var bytes = [Self.escape, 0x6E, Self.escape, 0x73]
                for (index, codes) in tracks.prefix(3).enumerated() {
                    guard let count = UInt8(exactly: codes.count) else {
                        throw .rejected(.trackTooLong(codes.count))
                    }
                    bytes += [Self.escape, UInt8(truncatingIfNeeded: index + 1), count] + codes
                }
                return bytes + Self.end
            }
        }
    }
}

/// The byte at the end of an answer (MSR605 programmer's manual, section 7).
package enum MSR605Status: UInt8, Sendable {
    case done = 0x30
    /// A track could not be read or written.
    case readWriteError = 0x31
    case malformedCommand = 0x32
    case unknownCommand = 0x34
    /// The card was swiped incorrectly.
    case badSwipe = 0x39
}
