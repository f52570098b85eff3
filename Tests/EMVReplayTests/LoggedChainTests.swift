import SmartCard
import Testing

@testable import EMVReplay

/// Logs with far more rounds than a card needs: each is read once.
@Suite("Chains of GET RESPONSE in a log") struct LoggedChainTests {
    /// ISO/IEC 7816-3:2006, 12.2.1, case 4: 61xx says that more is to be fetched.
    private func chain(_ rounds: Int, end: String) -> String {
        let answers = (0..<rounds).map { round in
            let byte = String(String(round % 256 + 256, radix: 16).dropFirst())
            return "> 00C00000FF\n< \(String(repeating: byte, count: 250))\(round == rounds - 1 ? end : "61FF")\n"
        }
        return "> 80A8000002830000\n< 61FF\n" + answers.joined() + "> 00B2010C00\n< 700090009000\n"
    }

    @Test("the answer has the data of every round, in their order", arguments: [1, 3, 20_000]) func data(_ rounds: Int)
        throws
    {
        let conversation = LoggedConversation(try APDUTrace(parsing: chain(rounds, end: "9000")))
        #expect(conversation.commands.count == 2)
        let answer = try #require(conversation.commands[0].response)
        #expect(answer.status == .success)
        #expect(answer.data.count == rounds * 250)
        #expect((0..<rounds).allSatisfy { answer.data[$0 * 250] == UInt8(truncatingIfNeeded: $0) })
    }

    @Test("the last status is that of the answer") func status() throws {
        let conversation = LoggedConversation(try APDUTrace(parsing: chain(2, end: "6A83")))
        #expect(conversation.commands[0].response?.status.description == "6A83")
        #expect(conversation.commands[0].response?.data.count == 500)
    }

    @Test("a chain that is cut off has no answer") func cutOff() throws {
        let text = "> 80A8000002830000\n< 6104\n> 00C0000004\n! no answer\n"
        let conversation = LoggedConversation(try APDUTrace(parsing: text))
        try #require(conversation.commands.count == 1)
        #expect(conversation.commands[0].response == nil)
    }

    @Test("a command without an answer has the reason of the next event that tells one") func reasons() throws {
        let text = "> 00B2010C00\n! card removed\n> 00B2020C00\n! no answer\n"
        let conversation = LoggedConversation(try APDUTrace(parsing: text))
        #expect(conversation.commands.map(\.answer) == [.failure(.cardRemoved), .failure(.timedOut)])
    }
}
