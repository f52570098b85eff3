public import SmartCard
internal import TLV

/// A card behind a contact that fails: hands commands on to another channel, and does what its faults say.
public actor FaultyCard: CardChannel {
    private let card: any CardChannel
    private let faults: [CardFault]
    /// The commands that came so far, the failed ones among them.
    public private(set) var step = 0
    private var firstFCI: [UInt8]?

    public init(_ card: any CardChannel, _ faults: CardFault...) {
        self.card = card
        self.faults = faults
    }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        step += 1
        let current = step
        for fault in faults {
            switch fault {
            case .removal(let step) where current >= step: throw .cardRemoved
            case .status(let status, current): return ResponseAPDU(status: status)
            case .endlessSelectNext where command.instruction == .select && command.p2 == 0x02:
                return Self.selectNext(command.data, step: current)
            default: break
            }
        }
        var response = try await card.transmit(command)
        for fault in faults {
            switch fault {
            case .silence(current): throw .timedOut
            case .corruption(let index, current) where response.data.indices.contains(index): response.data[index] ^= 0xFF
            case .truncation(let count, current): response.data = Array(response.data.prefix(count))
            case .sameFCIForEverySelect where command.instruction == .select:
                if firstFCI == nil && response.status == .success { firstFCI = response.data }
                if let firstFCI { response = ResponseAPDU(firstFCI) }
            default: break
            }
        }
        return response
    }

    /// An FCI whose name begins with `name` and ends with the step, so that no two are alike.
    private static func selectNext(_ name: [UInt8], step: Int) -> ResponseAPDU {
        let ending = [UInt8(truncatingIfNeeded: step >> 8), UInt8(truncatingIfNeeded: step)]
        return ResponseAPDU(
            tlv(.fciTemplate) { template in
                template.append(.dfName, name.prefix(14) + ending)
                template.append(.fciProprietaryTemplate) { $0.append(.applicationLabel, "ENDLESS".utf8) }
            })
    }
}
