import Bytes
package import CardCapture
package import DeviceIO
import TLV

/// A property of a device of the MMS framework: one of its settings, or a fact about it (DynaFlex
/// family programmer's manual, "Configuration").
package struct MMSProperty: Sendable, Hashable {
    /// The numbers of its identifier, from the kind on: 1 for settings, 2 for facts.
    private let numbers: [UInt8]

    /// - Parameter text: The identifier as the manual has it, such as `1.2.2.3.1.C`: three to
    ///   sixteen numbers in hexadecimal, the last one below 1F.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in (1...2).contains(part.count) ? UInt8(part, radix: 16) : nil }
        guard numbers.count == parts.count, (3...16).contains(numbers.count), numbers.allSatisfy({ $0 < 0x80 }),
            let kind = numbers.first, let last = numbers.last, (1...2).contains(kind), last < 0x1F
        else { return nil }
        self.numbers = numbers
    }

    fileprivate init(_ numbers: UInt8...) { self.numbers = numbers }

    package static let modelName = MMSProperty(2, 1, 2, 2, 2, 1)
    package static let firmwareVersion = MMSProperty(2, 1, 2, 2, 2, 2)
    package static let serialNumber = MMSProperty(2, 2, 1, 1, 1, 1)

    /// Whether a host may set it; the device decides which settings need the maker's signature.
    package var isSetting: Bool { numbers.first == 1 }

    /// The payload of a request: kind, the numbers up to the last one, and the last one as the tag
    /// of the value (manual, commands D101 and D111).
    ///
    /// - Parameter value: Empty to ask for it; at most 65,535 bytes.
    package func payload(_ value: [UInt8] = []) -> [UInt8] {
        var builder = TLVBuilder()
        builder.append(0x85, numbers.prefix(1))
        builder.append(0x87, numbers.dropFirst().dropLast())
        let low = UInt8(truncatingIfNeeded: value.count)
        let length = value.count < 0x80 ? [low] : [0x82, UInt8(truncatingIfNeeded: value.count >> 8), low]
        builder.append(0x89, [tag] + length + value)
        return builder.bytes
    }

    /// The value in the payload of a response.
    ///
    /// - Throws: ``DeviceError/malformed(_:_:)`` if it is the response about another property.
    package func value(in payload: [UInt8]) throws(DeviceError) -> [UInt8] {
        guard let objects = try? DataElements(parsing: payload), objects[0x87] == Array(numbers.dropFirst().dropLast()),
            let object = objects[0x89], let values = try? DataElements(parsing: object),
            let value = values[Tag(rawValue: UInt32(tag))]
        else { throw .malformed(.mmsProperty, .invalid) }
        return value
    }

    private var tag: UInt8 { 0xC0 | (numbers.last ?? 0) }
}

extension MMSProperty: CustomStringConvertible {
    package var description: String { numbers.map { String($0, radix: 16, uppercase: true) }.joined(separator: ".") }
}

extension MMSLink {
    private static let getProperty: UInt16 = 0xD101
    private static let setProperty: UInt16 = 0xD111

    /// - Throws: ``DeviceError/rejected(_:)`` if the device does not have it.
    package func value(of property: MMSProperty) throws(DeviceError) -> [UInt8] {
        try property.value(in: response(to: Self.getProperty, property.payload()))
    }

    /// Asks for the model's name. A device that refuses has answered as one.
    package func identify() throws(DeviceError) {
        try discard()
        do throws(DeviceError) { _ = try value(of: .modelName) } catch .rejected {} catch { throw error }
    }

    /// - Throws: ``DeviceError/rejected(_:)`` if the device does not accept it, or not without the
    ///   maker's signature.
    package func set(_ property: MMSProperty, to value: [UInt8]) throws(DeviceError) {
        let taken = try property.value(in: response(to: Self.setProperty, property.payload(value)))
        guard taken == value else { throw .malformed(.mmsProperty, .invalid) }
    }
}

/// A property and the value that it is to have.
package struct MMSSetting: Sendable, Equatable {
    package let property: MMSProperty
    /// 1 to 65,535 bytes, as the manual has them for the property.
    package let value: [UInt8]

    /// - Returns: Nil if it cannot be set, or has no value that fits into a message.
    package init?(_ property: MMSProperty, _ value: [UInt8]) {
        guard property.isSetting, (1...0xFFFF).contains(value.count) else { return nil }
        self.property = property
        self.value = value
    }
}

extension MagTekReader where Kernel == MMSLink {
    /// Asks the device for its model, serial number and firmware.
    package nonisolated func identify() async throws(CaptureError) -> ReaderIdentity {
        try await perform { link throws(DeviceError) in
            func text(_ property: MMSProperty) throws(DeviceError) -> String {
                String(decoding: try link.value(of: property).prefix { (0x20...0x7E).contains($0) }, as: UTF8.self)
            }
            // Seven digits of the number, and a zero.
            let number = try link.value(of: .serialNumber)
            return ReaderIdentity(
                maker: "MagTek", model: try text(.modelName), serialNumber: String(number.hex.prefix(7)),
                firmware: try text(.firmwareVersion))
        }
    }

    /// Sets `settings`, one after the other. What the device has already is not written: its memory
    /// wears out by it. A device keeps those that it has accepted before one that it refuses.
    ///
    /// - Parameter progress: Called with the part that is done, from 0 to 1.
    package nonisolated func load(_ settings: [MMSSetting], progress: @Sendable (Double) -> Void)
        async throws(CaptureError)
    {
        for (index, setting) in settings.enumerated() {
            try await perform { link throws(DeviceError) in
                guard try link.value(of: setting.property) != setting.value else { return }
                try link.set(setting.property, to: setting.value)
            }
            let part = Double(index + 1) / Double(settings.count)
            events.send(.progress(.configuration, part))
            progress(part)
        }
    }
}
