/// A capture of usbmon: link types 189 and 220, the header of Linux's `struct usbmon_packet` with
/// 48 or 64 bytes in the byte order of the capturing computer (Documentation/usb/usbmon.rst;
/// tcpdump.org, LINKTYPE_USB_LINUX and LINKTYPE_USB_LINUX_MMAPPED).
enum USBCapture {
    static func read(_ bytes: [UInt8], _ conversation: inout Conversation) throws(LogProblem) {
        var file = try CaptureFile(bytes)
        var readers: [UInt16: CCIDTraffic] = [:]
        while let element = file.next() {
            let packet: CaptureFile.Packet
            switch element {
            case .broken(let problem):
                try conversation.report(problem.place, problem.reason)
                continue
            case .packet(let found): packet = found
            }
            guard let transfer = try transfer(packet, &conversation) else { continue }
            // A conversation has one reader: the first that uses CCID.
            if readers[transfer.device] == nil {
                guard readers.isEmpty, CCIDTraffic.begins(transfer) else { continue }
                readers[transfer.device] = CCIDTraffic()
            }
            try readers[transfer.device]?.take(transfer, &conversation)
        }
        for var reader in readers.values { try reader.finish(&conversation) }
    }

    struct Transfer {
        let packet: Int
        /// Bus and device number.
        let device: UInt16
        let isFromDevice: Bool
        let endpoint: UInt8
        let time: Duration
        let bytes: [UInt8]
    }

    private static func transfer(
        _ packet: CaptureFile.Packet, _ conversation: inout Conversation
    ) throws(LogProblem) -> Transfer? {
        let place = LogProblem.Place.packet(packet.number)
        let size: Int
        switch packet.linkType {
        case 189: size = 48
        case 220: size = 64
        default:
            try conversation.report(place, .linkType(packet.linkType, .usbmon))
            return nil
        }
        guard packet.bytes.count >= size else {
            try conversation.report(place, .cutUSBHeader)
            return nil
        }
        let header = Array(packet.bytes.prefix(size))
        // Bulk transfers that carry data: a submission out, a completion in.
        let isIn = header[10] & 0x80 != 0
        guard header[9] == 3, header[15] == 0, header[8] == (isIn ? UInt8(ascii: "C") : UInt8(ascii: "S")) else {
            return nil
        }
        // The lengths determine the byte order: usbmon uses that of its computer, and the file may
        // have been rewritten.
        var fields = Cursor(header[16...], isBigEndian: false)
        let littleLength = Cursor(header[36..<40], isBigEndian: false).peek32() ?? 0
        fields.isBigEndian = Int(littleLength) > packet.fullLength
        guard let seconds = fields.take64(), let microseconds = fields.take32(), fields.take(8) != nil,
            let captured = fields.take32()
        else {
            return nil
        }
        let data = packet.bytes.dropFirst(size)
        guard Int(captured) <= data.count else {
            try conversation.report(place, .cutTransfer(captured: data.count, of: Int(captured)))
            return nil
        }
        return Transfer(
            packet: packet.number, device: UInt16(header[12]) << 8 | UInt16(header[11]), isFromDevice: isIn,
            endpoint: header[10],
            time: .seconds(Int64(clamping: min(seconds, 1 << 40))) + .microseconds(Int64(min(microseconds, 999_999))),
            bytes: Array(data.prefix(Int(captured))))
    }
}
