private import Bytes

/// The address of a Bluetooth device, six bytes, written `00:11:22:AA:BB:CC`.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]

    /// Nil unless there are six pairs of hexadecimal digits with colons between them.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { $0.utf8.count == 2 && $0.first != "+" ? UInt8($0, radix: 16) : nil }
        guard parts.count == 6, bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    public var description: String { bytes.map(\.hex).joined(separator: ":") }
}
