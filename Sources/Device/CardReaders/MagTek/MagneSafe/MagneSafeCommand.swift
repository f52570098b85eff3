package import DeviceIO

/// A command to a MagneSafe V5 reader, in a feature report: number, length of the data, data,
/// padding of zeros (D99875475, "Commands").
package struct MagneSafeCommand: Sendable, Equatable {
    package let number: UInt8
    package let data: [UInt8]

    package init(_ number: UInt8, _ data: [UInt8] = []) {
        self.number = number
        self.data = data
    }

    /// The report, `length` bytes long: the reader accepts only its own length.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` if the data do not fit.
    package func encoded(length: Int) throws(DeviceError) -> [UInt8] {
        guard data.count <= min(length - 2, 255) else {
            throw .rejected(.dataTooLong(maximum: max(0, length - 2)))
        }
        // fits: at most 255 bytes, checked above
        return [number, UInt8(data.count)] + data + [UInt8](repeating: 0, count: length - 2 - data.count)
    }

    package static func property(_ property: MagneSafeProperty) -> Self { Self(0x00, [property.rawValue]) }
    package static func setProperty(_ property: MagneSafeProperty, _ value: [UInt8]) -> Self {
        Self(0x01, [property.rawValue] + value)
    }
    /// The reader disconnects from the bus and reconnects.
    package static let reset = Self(0x02)
    package static let keySerialNumber = Self(0x09)
    /// 8 bytes that the next swipe returns encrypted.
    package static func setSessionID(_ bytes: [UInt8]) -> Self { Self(0x0A, bytes) }
    package static let state = Self(0x14)
    package static let securityLevel = Self(0x15)
    package static let encryptionCounter = Self(0x1C)
}

/// Properties of a MagneSafe V5 reader (D99875475, "Get/Set property").
package enum MagneSafeProperty: UInt8, Sendable, CaseIterable {
    case softwareID = 0x00
    case usbSerialNumber = 0x01
    /// In milliseconds.
    case pollingInterval = 0x02
    case serialNumber = 0x03
    /// Two bits for each track: 00 off, 01 on, 10 on and required.
    case trackEnable = 0x05
    case isoTrackMask = 0x07
    case aamvaTrackMask = 0x08
    /// 00 HID, 01 keyboard.
    case interface = 0x10
}

/// The answer of a MagneSafe V5 reader to a command: result code, length, data.
package struct MagneSafeResponse: Sendable, Equatable {
    package enum Result: Sendable, Equatable {
        case success
        case failure
        case badParameter
        /// The host must wait, because authentication failed before.
        case delayed
        /// The command needs a MAC, or is not allowed in this state.
        case unauthorized
        /// The first packet of an extended command's answer.
        case extendedResponse
        /// The reader waits for the next packet of an extended command.
        case extendedPending
        case other(UInt8)

        init(_ code: UInt8) {
            switch code {
            case 0x00: self = .success
            case 0x01: self = .failure
            case 0x02: self = .badParameter
            case 0x05: self = .delayed
            case 0x07: self = .unauthorized
            case 0x0A: self = .extendedResponse
            case 0x0B: self = .extendedPending
            default: self = .other(code)
            }
        }
    }

    package let result: Result
    package let data: [UInt8]

    /// - Throws: ``DeviceError/malformed(_:_:)`` if the report is shorter than its length says.
    package init(parsing bytes: [UInt8]) throws(DeviceError) {
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else {
            throw .malformed(.magneSafeAnswer, .truncated)
        }
        result = Result(bytes[0])
        data = Array(bytes[2..<(2 + Int(bytes[1]))])
    }

    /// The data, if the result is success.
    func successful() throws(DeviceError) -> [UInt8] {
        switch result {
        case .success: return data
        case .extendedResponse, .extendedPending: throw .malformed(.extendedAnswer, .unexpected)
        case .failure: throw .rejected(.commandFailed)
        case .badParameter: throw .rejected(.propertyNotSupported)
        case .delayed: throw .rejected(.authenticationDelay)
        case .unauthorized: throw .rejected(.notAuthenticated)
        case .other(let code): throw .rejected(.status("\(code)"))
        }
    }
}
