internal import DeviceIO

/// The class descriptor of a chip card reader (USB CCID 1.1, 5.1), 54 bytes.
package struct CCIDDescriptor: Sendable, Equatable {
    /// dwFeatures: what the reader does by itself.
    package struct Features: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        package static let automaticParameters = Self(rawValue: 0x02)
        package static let automaticActivation = Self(rawValue: 0x04)
        package static let automaticVoltage = Self(rawValue: 0x08)
        package static let automaticClock = Self(rawValue: 0x10)
        package static let automaticBaudRate = Self(rawValue: 0x20)
        package static let automaticNegotiation = Self(rawValue: 0x40)
        package static let automaticPPS = Self(rawValue: 0x80)
        package static let automaticIFSD = Self(rawValue: 0x400)
    }

    /// The unit of an exchange with a card that the reader accepts.
    package enum ExchangeLevel: String, Sendable {
        case character = "characters"
        case tpdu = "TPDUs"
        case shortAPDU = "short APDUs"
        case extendedAPDU = "short and extended APDUs"
    }

    /// bVoltageSupport.
    package struct Voltages: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let fiveVolts = Self(rawValue: 1)
        package static let threeVolts = Self(rawValue: 2)
        package static let eighteenTenthsVolts = Self(rawValue: 4)
    }

    /// bPINSupport.
    package struct PINSupport: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let verification = Self(rawValue: 1)
        package static let modification = Self(rawValue: 2)
    }

    package static let length = 54

    /// 1 to 16.
    package let slotCount: Int
    package let voltages: Voltages
    /// Bit n for T=n.
    package let protocols: UInt32
    /// In kHz; 0 if the reader does not report it.
    package let clock: Int
    /// In bits per second.
    package let largestDataRate: Int
    /// IFSD, at most 254; 254 if the reader does not report it.
    package let largestFieldSize: Int
    package var features: Features
    package var level: ExchangeLevel
    /// The maximum length of a message in bytes, including its header of ten bytes.
    package let largestMessage: Int
    package var pin: PINSupport

    /// Nil unless it is a class descriptor of a reader.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.length, Int(bytes[0]) >= Self.length, bytes[1] == 0x21 || bytes[1] == 0xFF else {
            return nil
        }
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
        slotCount = min(Int(bytes[4]), 15) + 1
        voltages = Voltages(rawValue: bytes[5] & 0x07)
        protocols = UInt32(truncatingIfNeeded: number(6))
        clock = number(10)
        largestDataRate = number(23)
        let fieldSize = number(28)
        largestFieldSize = (1...254).contains(fieldSize) ? fieldSize : 254
        let coded = UInt32(truncatingIfNeeded: number(40))
        features = Features(rawValue: coded & 0xFFFF)
        level =
            switch coded & 0x70000 {
            case 0x40000: .extendedAPDU
            case 0x20000: .shortAPDU
            case 0x10000: .tpdu
            default: .character
            }
        let message = number(44)
        largestMessage = min(max(message, 10 + 261), 10 + 65544)
        pin = PINSupport(rawValue: bytes[52] & 0x03)
    }
}

extension USBDescriptors {
    /// The interfaces that are chip card readers, with their class descriptors. Some readers use a
    /// vendor-specific class, and some have the class descriptor after the last endpoint.
    var readers: [(interface: Interface, descriptor: CCIDDescriptor)] {
        interfaces.compactMap { interface in
            guard interface.classCode == 0x0B || interface.classCode == 0xFF else { return nil }
            return interface.others.lazy.compactMap(CCIDDescriptor.init).first.map { (interface, $0) }
        }
    }
}
