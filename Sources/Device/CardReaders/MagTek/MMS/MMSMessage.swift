package import DeviceIO
import TLV

/// A message between host and a MagTek device of the MMS framework: DynaFlex, DynaProx (D998200383,
/// DynaFlex family programmer's manual, "Messages").
///
/// `AA`, framework version, then data objects: `81` kind, reference and code, `82` a response's
/// status or a notification's detail, `84` payload. A payload begins with a copy of the code.
package struct MMSMessage: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        case request = 0x01
        case response = 0x82
        case notification = 0x83
    }

    package let kind: Kind
    /// Links a response to its request; 0 in notifications.
    package let reference: UInt8
    /// The command, or source and type of a notification.
    package let code: UInt16
    /// A response's status or a notification's detail, 4 bytes; empty in requests.
    package let status: [UInt8]
    /// Without the code at its beginning.
    package let payload: [UInt8]

    static let start: UInt8 = 0xAA
    /// Longer than any message of a device.
    static let longest = 1 << 16

    package init(_ kind: Kind, reference: UInt8, code: UInt16, status: [UInt8] = [], payload: [UInt8] = []) {
        self.kind = kind
        self.reference = reference
        self.code = code
        self.status = status
        self.payload = payload
    }

    package static func request(_ code: UInt16, reference: UInt8, payload: [UInt8] = []) -> MMSMessage {
        MMSMessage(.request, reference: reference, code: code, payload: payload)
    }

    package var bytes: [UInt8] {
        let codeBytes = [UInt8(truncatingIfNeeded: code >> 8), UInt8(code & 0xFF)]
        var builder = TLVBuilder()
        builder.append(0x81, [kind.rawValue, reference] + codeBytes)
        if !status.isEmpty { builder.append(0x82, status) }
        if kind == .request || !payload.isEmpty { builder.append(0x84, codeBytes + payload) }
        return [Self.start, 0x00] + builder.bytes
    }

    /// - Throws: ``DeviceError/malformed(_:_:)`` if it is not a message, or of a kind that devices
    ///   do not send.
    package init(parsing bytes: [UInt8]) throws(DeviceError) {
        guard bytes.count > 2, bytes[0] == Self.start else { throw .malformed(.mmsMessage, .invalid) }
        let objects = Array(bytes.dropFirst(2))
        var walker = TLVWalker()
        var information: [UInt8] = []
        var status: [UInt8] = []
        var payload: [UInt8] = []
        do throws(TLVError) {
            while let node = try walker.next(in: objects.span) {
                switch node.tag {
                case 0x81: information = Array(objects[node.value])
                case 0x82: status = Array(objects[node.value])
                case 0x84: payload = Array(objects[node.value])
                default: break
                }
                if node.tag.isConstructed { walker.skipContents(of: node) }
            }
        } catch {
            throw .malformed(.mmsMessage, .invalid)
        }
        guard information.count >= 4, let kind = Kind(rawValue: information[0]) else {
            throw .malformed(.mmsMessage, .invalid)
        }
        guard kind == .request || status.count == 4 else { throw .malformed(.mmsStatus, .missing) }
        self.kind = kind
        reference = information[1]
        code = UInt16(information[2]) << 8 | UInt16(information[3])
        self.status = status
        // Removes the copy of the code.
        self.payload = payload.starts(with: information[2..<4]) ? Array(payload.dropFirst(2)) : payload
    }

    /// No received bytes are shown: reads may split a message anywhere, so each byte may be card
    /// data.
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in
        direction == .received ? [0..<bytes.count] : []
    }
}
