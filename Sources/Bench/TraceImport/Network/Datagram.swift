/// The UDP datagram in a captured packet (RFC 768, 791, 8200), captured from any kind of link.
struct Datagram {
    let sourcePort: UInt16
    let destinationPort: UInt16
    let payload: ArraySlice<UInt8>

    /// 4729, assigned to GSMTAP.
    private static let port: UInt16 = 4729
    private static let udp: UInt8 = 17

    var isGSMTAP: Bool { sourcePort == Self.port || destinationPort == Self.port }

    /// Nil for everything except a complete datagram: other protocols, and fragments.
    init?(_ packet: CaptureFile.Packet) {
        guard let datagram = Self.network(packet).flatMap(Self.transport), datagram.count >= 8 else { return nil }
        let bytes = Array(datagram.prefix(8))
        sourcePort = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        destinationPort = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        let length = Int(bytes[4]) << 8 | Int(bytes[5])
        guard length >= 8 else { return nil }
        payload = datagram.prefix(length).dropFirst(8)
    }

    /// The bytes after the link's header.
    private static func network(_ packet: CaptureFile.Packet) -> ArraySlice<UInt8>? {
        let bytes = packet.bytes
        func after(_ count: Int) -> ArraySlice<UInt8>? { bytes.count > count ? bytes.dropFirst(count) : nil }
        switch packet.linkType {
        // Loopback of BSD: four bytes of address family.
        case 0, 108: return after(4)
        case 101, 228, 229: return bytes
        // Linux cooked, versions 1 and 2.
        case 113: return after(16)
        case 276: return after(20)
        // Ethernet, optionally with a tag of IEEE 802.1Q.
        case 1: return bytes.count > 18 && bytes.dropFirst(12).starts(with: [0x81, 0]) ? after(18) : after(14)
        default: return nil
        }
    }

    /// The bytes after the header of IP, if they are UDP.
    private static func transport(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let header = Array(bytes.prefix(40))
        switch (header.first ?? 0) >> 4 {
        case 4:
            let length = Int(header[0] & 0x0F) * 4
            // No fragments: neither "more" nor an offset.
            guard header.count >= 20, length >= 20, bytes.count > length, header[6] & 0x3F == 0, header[7] == 0,
                header[9] == udp
            else { return nil }
            return bytes.dropFirst(length)
        case 6:
            guard header.count == 40, header[6] == udp else { return nil }
            return bytes.dropFirst(40)
        default: return nil
        }
    }
}
