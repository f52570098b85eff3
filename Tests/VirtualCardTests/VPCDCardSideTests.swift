import Bytes
import SmartCard
import Synchronization
import Testing
import VirtualCard

/// vsmartcard's documentation, "Creating a virtual smart card": lengths in two bytes, control
/// messages of one.
@Suite struct VPCDCardSideTests {
    /// Answers each command with as many bytes as its P1 and P2 say, the first of them the number
    /// of the reset.
    private struct Card: CardChannel {
        let reset: UInt8

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            switch command.ins {
            case 0x01: throw .timedOut
            case 0x02: throw .cardRemoved
            case 0x03: throw .readerFailed(.unknownRequest)
            default: break
            }
            let count = Int(command.p1) << 8 + Int(command.p2)
            return ResponseAPDU((0..<count).map { $0 == 0 ? reset : UInt8(truncatingIfNeeded: $0) })
        }
    }

    private func side() -> VPCDCardSide {
        let resets = Counter()
        return VPCDCardSide(answerToReset: [0x3B, 0x80]) { Card(reset: resets.next()) }
    }

    private final class Counter: Sendable {
        private let count = Mutex<UInt8>(0)
        func next() -> UInt8 {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private func answer(_ side: inout VPCDCardSide, _ message: String) async throws -> String {
        try await side.receive(try [UInt8](hex: message.filter { $0 != " " })).hex
    }

    @Test("Control messages of vpcd are answered") func controlMessages() async throws {
        var side = side()
        #expect(try await answer(&side, "0001 04") == "00023B80")
        for control in ["00", "01", "02", "7F"] {
            #expect(try await answer(&side, "0001 \(control)") == "", "\(control)")
        }
        #expect(try await answer(&side, "0000") == "")
        // On and reset were one each.
        #expect(try await answer(&side, "0005 00B0000100") == "0003029000")
    }

    @Test func powerResetsTheCard() async throws {
        var side = side()
        #expect(try await answer(&side, "0005 00B0000100") == "0003019000", "a reader that forgets the power")
        #expect(try await answer(&side, "0001 00 0005 00B0000100") == "0003029000")
        #expect(try await answer(&side, "0005 00B0000100") == "0003029000")
    }

    @Test func messagesInPieces() async throws {
        var side = side()
        for piece in ["00", "05", "00", "B0", "00", "02"] { #expect(try await answer(&side, piece) == "") }
        #expect(try await answer(&side, "00 0001 04 0001") == "0004 01019000 0002 3B80".filter { $0 != " " })
        #expect(try await answer(&side, "04") == "00023B80")
    }

    @Test("messages of every length are handled") func lengths() async throws {
        var side = side()
        // Nothing said of a length: what there is. Too short a length: SW 6Cxx with the right one,
        // 00 for 256.
        #expect(try await answer(&side, "0004 00B00002") == "000401019000")
        #expect(try await answer(&side, "0005 00B0000201") == "00026C02")
        #expect(try await answer(&side, "0005 00B0010001") == "00026C00")
        #expect(try await answer(&side, "0005 00B0010100") == "00026700")
        // 0301 hexadecimal bytes for an extended command that takes any number.
        let long = try await side.receive([0, 7, 0x00, 0xB0, 0x03, 0x01, 0x00, 0x00, 0x00])
        #expect(long.count == 2 + 0x301 + 2)
        #expect(long.prefix(2) == [0x03, 0x03])
        #expect(long.suffix(2) == [0x90, 0x00])
        // The longest that fits, and one byte more.
        let longest = try await side.receive([0, 7, 0x00, 0xB0, 0xFF, 0xFD, 0x00, 0x00, 0x00])
        #expect(longest.count == 2 + VPCDCardSide.longestMessage)
        #expect(longest.prefix(2) == [0xFF, 0xFF])
        #expect(try await answer(&side, "0007 00B0FFFE000000") == "00026F00")
        #expect(try await answer(&side, "0006 00B000000300") == "00026700", "no command: its data are missing")
        #expect(try await answer(&side, "0002 00B0") == "00026700")
    }

    @Test("failures of the card close the connection") func failures() async throws {
        var side = side()
        await #expect(throws: CardChannelError.timedOut) { _ = try await side.receive([0, 4, 0, 1, 0, 0]) }
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await side.receive([0, 4, 0, 2, 0, 0]) }
        #expect(try await answer(&side, "0004 00030000") == "00026F00")
    }
}
