private import Glibc

/// The address of a message bus: a socket of this computer (D-Bus Specification, Server Addresses).
public struct DBusAddress: Hashable, Sendable {
    /// The socket's file; begins with a zero byte for a name in the abstract namespace.
    let path: [UInt8]

    /// The system bus: at `DBUS_SYSTEM_BUS_ADDRESS`, or at its default address.
    public static var system: DBusAddress? {
        DBusAddress(
            unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS").map { unsafe String(cString: $0) }
                ?? "unix:path=/run/dbus/system_bus_socket")
    }

    /// The first address of a list that is a socket of this computer; nil if there is none.
    public init?(_ list: String) {
        for address in list.split(separator: ";") where address.hasPrefix("unix:") {
            for pair in address.dropFirst(5).split(separator: ",") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, let value = Self.unescaped(parts[1]), !value.isEmpty, !value.contains(0) else {
                    continue
                }
                switch parts[0] {
                case "path": path = value
                case "abstract": path = [0] + value
                default: continue
                }
                return
            }
        }
        return nil
    }

    /// A byte may be written as `%` and two hexadecimal digits.
    private static func unescaped(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = ArraySlice(text.utf8)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return bytes
    }
}
