import Bytes
package import CardCapture
package import DeviceIO
import EMVKernel
import TLV

/// A MagTek device of the MMS framework (DynaFlex, DynaProx; DynaFlex family programmer's manual).
package typealias MMSReader = MagTekReader<MMSLink>

extension MagTekReader where Kernel == MMSLink {
    /// - Parameter path: Such as `/dev/hidraw0`.
    package init(hid path: String, name: String = "MagTek DynaFlex", decryption: SwipeDecryption? = nil)
        throws(DeviceError)
    {
        try self.init(name: name, decryption: decryption) { cancel throws(DeviceError) in
            MMSLink(try HIDDevice(path: path, cancel: cancel))
        }
    }

    /// - Parameter path: Such as `/dev/ttyUSB0`.
    package init(serialPort path: String, name: String = "MagTek DynaFlex", decryption: SwipeDecryption? = nil)
        throws(DeviceError)
    {
        try self.init(name: name, decryption: decryption) { cancel throws(DeviceError) in
            MMSLink(try SerialPort(path: path, line: MMSLine.settings, cancel: cancel))
        }
    }
}

extension MMSLink: DeviceKernel {
    package static let models = [
        ReaderModel(.hid, vendor: 0x0801, product: 0x2020, name: "MagTek DynaFlex"),
        ReaderModel(.hid, vendor: 0x0801, product: 0x2023, name: "MagTek DynaProx"),
        ReaderModel(.hid, vendor: 0x0801, product: 0x2024, name: "MagTek DynaFlex II Go"),
    ]
    package static let capabilities: ReaderCapabilities = [
        .contactChip, .contactlessChip, .magneticStripe, .ownKernel, .encryptsMagstripes, .cardEvents,
    ]

    package func start(_ request: CaptureRequest, timeout: UInt8) throws(DeviceError) {
        let start = MMSCommand.Start(timeout: timeout, transaction: request.transactionObjects)
        try self.request(MMSCommand.startTransaction, start.payload)
    }

    package func next(by deadline: Deadline) throws(DeviceError) -> DeviceStep {
        switch MMSNotification(try notification(by: deadline)) {
        case .swiped: return .event(.swiped(readable: true))
        case .cardPresented(let technology): return technology.interface.map { .event(.cardPresented($0)) } ?? .other
        case .cardRemoved(let technology): return technology.interface.map { .event(.cardRemoved($0)) } ?? .other
        case .online(_, let payload): return .online(try DynaProCardData(parsing: payload))
        case .complete(.contactless, let outcome): return .complete(outcome.ofTap)
        case .complete(_, let outcome): return .complete(outcome)
        case .other: return .other
        }
    }

    /// Not used: these devices ask on their own display.
    package func choose(_ choice: Int?) throws(DeviceError) {}

    package func answer(_ answer: IssuerAnswer, serialNumber: [UInt8]) throws(DeviceError) {
        try request(
            MMSCommand.resumeTransaction, MMSCommand.resume(serialNumber: serialNumber, answer: answer.magTekObjects))
    }
}

extension CaptureRequest {
    /// Transaction type, amounts, currency and its exponent.
    fileprivate var transactionObjects: [UInt8] {
        var builder = TLVBuilder()
        builder.append(0x9C, [kind.rawValue])
        builder.append(0x9F02, BCD.encode(amount, count: 6) ?? [])
        builder.append(0x9F03, BCD.encode(cashback, count: 6) ?? [])
        builder.append(0x5F2A, BCD.encode(UInt64(currencyCode), count: 2) ?? [])
        builder.append(0x5F36, [currencyExponent])
        return builder.bytes
    }
}

extension MMSNotification.Technology {
    fileprivate var interface: ReaderEvent.CardInterface? {
        switch self {
        case .contact: .contact
        case .contactless: .contactless
        case .none, .manualEntry, .stripe: nil
        }
    }
}
