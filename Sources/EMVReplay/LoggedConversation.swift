internal import EMVKernel
package import SmartCard
package import TLV

/// A recorded conversation, prepared to be the card for a second one.
///
/// Logs are kept by many tools and at many layers. Here `61xx` and `6Cxx` rounds are folded into the command they belong to, and where the terminal
/// started the application more than once only the last start before the first cryptogram counts.
package struct LoggedConversation {
    package let exchanges: [APDUTrace.Exchange]

    package init(_ trace: APDUTrace) {
        exchanges = Self.lastAttempt(of: Self.foldingTransportRounds(trace.exchanges))
    }

    private static func foldingTransportRounds(_ exchanges: [APDUTrace.Exchange]) -> [APDUTrace.Exchange] {
        var folded: [APDUTrace.Exchange] = []
        for exchange in exchanges {
            if let last = folded.last {
                let continuesAnswer = last.response.status.sw1 == 0x61 && exchange.command.instruction == .getResponse
                let repeatsCommand =
                    last.response.status.sw1 == 0x6C && exchange.command.header == last.command.header
                    && exchange.command.data == last.command.data
                if continuesAnswer || repeatsCommand {
                    let response = ResponseAPDU(last.response.data + exchange.response.data, status: exchange.response.status)
                    folded[folded.count - 1] = APDUTrace.Exchange(line: last.line, command: last.command, response: response)
                    continue
                }
            }
            folded.append(exchange)
        }
        return folded
    }

    private static func lastAttempt(of exchanges: [APDUTrace.Exchange]) -> [APDUTrace.Exchange] {
        let end = exchanges.firstIndex { $0.command.instruction == .generateAC } ?? exchanges.endIndex
        let starts = exchanges.indices.filter { $0 < end && exchanges[$0].command.instruction == .getProcessingOptions }
        guard starts.count > 1, let first = starts.first, let last = starts.last,
            let selection = exchanges[..<last].lastIndex(where: { $0.command.instruction == .select }), selection > first
        else { return exchanges }
        return Array(exchanges[..<first] + exchanges[selection...])
    }

    // MARK: What the log holds

    package func first(_ instruction: Instruction) -> APDUTrace.Exchange? {
        exchanges.first { $0.command.instruction == instruction }
    }

    package var cryptograms: [APDUTrace.Exchange] { exchanges.filter { $0.command.instruction == .generateAC } }

    /// The SELECT that the terminal went on with.
    package var finalSelection: APDUTrace.Exchange? {
        let start = exchanges.firstIndex { $0.command.instruction == .getProcessingOptions } ?? exchanges.endIndex
        return exchanges[..<start].last { $0.command.instruction == .select && $0.response.status == .success }
    }

    /// Everything the card gave before the first cryptogram, by tag.
    package var cardData: DataElements {
        var data = DataElements()
        for exchange in exchanges where exchange.response.status == .success {
            switch exchange.command.instruction {
            case .select where exchange.line == finalSelection?.line: _ = try? data.append(parsing: exchange.response.data)
            case .readRecord: _ = try? data.append(parsing: exchange.response.data)
            case .getProcessingOptions:
                if exchange.response.data.first == 0x80, exchange.response.data.count > 4 {
                    let value = exchange.response.data.dropFirst(exchange.response.data[1] == 0x81 ? 3 : 2)
                    data.append(.applicationInterchangeProfile, value.prefix(2))
                    data.append(.applicationFileLocator, value.dropFirst(2))
                } else {
                    _ = try? data.append(parsing: exchange.response.data)
                }
            default: break
            }
        }
        return data
    }

    /// The records that the AFL marks for data authentication, in its order.
    func staticData(_ card: DataElements) -> StaticData {
        var data = StaticData()
        for entry in card[.applicationFileLocator].flatMap(ApplicationFileLocator.init)?.entries ?? [] {
            for record in entry.records.prefix(Int(entry.authenticatedCount)) {
                let command = CommandAPDU.readRecord(record, sfi: entry.sfi)
                if let exchange = exchanges.first(where: { $0.command.header == command.header }) {
                    data.append(record: exchange.response.data, sfi: entry.sfi)
                }
            }
        }
        return data
    }
}
