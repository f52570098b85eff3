import CardCapture
private import Synchronization
import TLV

/// The identity that a PIN pad reports when it is reset.
final class MiuraIdentity: Sendable {
    private let learned = Mutex<ReaderIdentity?>(nil)

    var value: ReaderIdentity? { learned.withLock { $0 } }

    func learn(fromReset answer: [UInt8]) { learned.withLock { $0 = ReaderIdentity(miura: answer) ?? $0 } }
}

extension ReaderIdentity {
    /// The identity from an answer to RESET DEVICE (Miura's published library, `resetDevice`):
    /// template `E1` with the serial number `9F1E` and for each part of the software `EF`, its name
    /// `DF0D` and its version `DF7F`. Nil for another answer.
    init?(miura answer: [UInt8]) {
        var walker = TLVWalker()
        var path: [Tag] = []
        var serialNumber: String?
        var software: [[String]] = []
        func text(_ range: Range<Int>) -> String { ValueDescription.printable(Array(answer[range])) }
        do throws(TLVError) {
            while let node = try walker.next(in: answer.span) {
                path = Array(path.prefix(node.depth)) + [node.tag]
                switch path {
                case [.miuraResponse, .interfaceDeviceSerialNumber]: serialNumber = text(node.value)
                case [.miuraResponse, .miuraSoftware]: software.append([])
                case [.miuraResponse, .miuraSoftware, .miuraSoftwareName],
                    [.miuraResponse, .miuraSoftware, .miuraSoftwareVersion]:
                    software[software.count - 1].append(text(node.value))
                default: break
                }
            }
        } catch {
            return nil
        }
        let firmware = software.map { $0.joined(separator: " ") }.joined(separator: ", ")
        self.init(maker: "Miura", serialNumber: serialNumber, firmware: firmware)
    }
}
