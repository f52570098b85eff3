/// A capture of SIMtrace 2's messages about a conversation between card and terminal: GSMTAP
/// version 2 in datagrams to UDP port 4729 (libosmocore's gsmtap.h; link types of tcpdump.org).
///
/// One datagram contains an answer to reset, a whole TPDU of T=0 (header, data, status), or a part
/// of one.
enum GSMTAPCapture {
    static let linkTypes: Set<UInt32> = [0, 1, 101, 108, 113, 228, 229, 276]

    static func read(_ bytes: [UInt8], _ conversation: inout Conversation) throws(LogProblem) {
        var file = try CaptureFile(bytes)
        var unit = SniffedUnit()
        while let element = file.next() {
            let packet: CaptureFile.Packet
            switch element {
            case .broken(let problem):
                try conversation.report(problem.place, problem.reason)
                continue
            case .packet(let found): packet = found
            }
            let place = LogProblem.Place.packet(packet.number)
            guard linkTypes.contains(packet.linkType) else {
                try conversation.report(place, .linkType(packet.linkType, .gsmtap))
                continue
            }
            guard let datagram = Datagram(packet), datagram.isGSMTAP else { continue }
            guard packet.bytes.count >= packet.fullLength, let message = Message(datagram.payload) else {
                try conversation.report(place, .cutGSMTAPMessage)
                continue
            }
            guard message.type == Message.card else { continue }
            try unit.take(message, at: place, time: packet.time, &conversation)
        }
        try unit.finish(&conversation)
    }

    /// GSMTAP's header, big-endian: version, length in words of 32 bits, type, eight fields of
    /// radio, subtype, four bytes.
    struct Message {
        static let card: UInt8 = 4

        enum Kind: UInt8 {
            /// A whole command and its answer.
            case whole = 0
            case answerToReset = 1
            case header = 4
            case commandData = 5
            case answerData = 6
            case status = 7
        }

        let type: UInt8
        /// Nil for messages that are not part of a conversation: PPS requests, and messages of
        /// later versions.
        let kind: Kind?
        let bytes: [UInt8]

        init?(_ payload: ArraySlice<UInt8>) {
            let bytes = Array(payload)
            guard bytes.count >= 16, bytes[0] == 2 else { return nil }
            let length = Int(bytes[1]) * 4
            guard length >= 16, bytes.count >= length else { return nil }
            type = bytes[2]
            kind = Kind(rawValue: bytes[12])
            self.bytes = Array(bytes.dropFirst(length))
        }
    }
}
