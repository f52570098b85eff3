import CardCryptography
import EMVKernel
import EMVReplay
import Foundation
import SmartCard
import TLV
import Testing

private func vector(_ path: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    return try String(contentsOf: folder.appending(path: "Vectors/\(path)"), encoding: .utf8)
}

private func trace(_ name: String) throws -> APDUTrace { try APDUTrace(parsing: vector("traces/\(name).apdu")) }

private func testKeys() throws -> [CAPublicKey] { try CAPublicKeyFile.parse(vector("keys/ca-test-keys.tsv")) }

/// A log of several contact transactions, as pcscd writes it in a day: each is judged by itself.
@Suite struct TransactionsTests {
    private func day() throws -> APDUTrace {
        let one = try trace("visa-contact-online")
        return APDUTrace(metadata: one.metadata, entries: one.entries + one.entries)
    }

    @Test("Each transaction has its own verdict") func verdicts() async throws {
        let log = try day()
        let transactions = log.replayedTransactions
        #expect(transactions.count == 2)
        let one = try await Replay.run(try trace("visa-contact-online"), caKeys: try testKeys())
        for transaction in transactions {
            let report = try await Replay.run(transaction, caKeys: try testKeys())
            #expect(report.changes(.meaning) == one.changes(.meaning))
            #expect(report.outcome?.tvr == one.outcome?.tvr)
        }
    }

    @Test("Each transaction has its own proofs") func proofs() throws {
        let single = try trace("visa-contact-online")
        let one = Evidence.examine(single, caKeys: try testKeys(), issuer: IssuerKeyMaterial(single))
        let both = Evidence.examine(try day(), caKeys: try testKeys(), issuer: IssuerKeyMaterial(single))
        #expect(
            both.map(\.subject) == one.map { "transaction 1, \($0.subject)" }
                + one.map { "transaction 2, \($0.subject)" })
        #expect(both.map(\.result) == one.map(\.result) + one.map(\.result))
    }

    @Test("A log with its terminal's description stays whole, and so do presentations of a card") func wholeLogs()
        throws
    {
        var described = try day()
        described.metadata.append((name: "terminal", value: "type=22"))
        #expect(described.replayedTransactions.count == 1)
        let presentations = try trace("tap-visa-torn-in-a-record")
        #expect(APDUTrace(metadata: [], entries: presentations.entries).replayedTransactions.count == 1)
        // Two taps without directories are known for taps one by one.
        let tap = try trace("mastercard-contactless-cda")
        let taps = APDUTrace(metadata: [], entries: tap.entries + tap.entries).replayedTransactions
        #expect(taps.count == 2)
        for tap in taps {
            let conversation = LoggedConversation(tap)
            #expect(conversation.interface(conversation.cardData) == .contactless)
        }
    }

    /// 200 transactions: the data of each are hashed for itself. The time limit is a guard against
    /// hanging.
    @Test(.timeLimit(.minutes(20))) func longDays() throws {
        let one = try trace("mastercard-contact-online")
        let many = APDUTrace(metadata: one.metadata, entries: (0..<200).flatMap { _ in one.entries })
        let evidence = Evidence.examine(many, caKeys: try testKeys(), issuer: IssuerKeyMaterial(one))
        #expect(evidence.count { $0.subject.hasSuffix("ICC certificate") && $0.isVerified } == 200)
    }
}

/// What is proved where a log does not show everything.
@Suite struct PartialLogTests {
    private func changed(_ name: String, _ changes: (String, String)...) throws -> APDUTrace {
        var text = try vector("traces/\(name).apdu")
        for (old, new) in changes {
            #expect(text.contains(old))
            text = text.replacing(old, with: new)
        }
        return try APDUTrace(parsing: text)
    }

    /// EMV 4.4 Book 3, annex A: tag 5A is mandatory with contacts; a contactless card may have its
    /// number in the track alone.
    @Test("A number that is only in the track derives the card's key") func numberInTheTrack() throws {
        let log = try changed("visa-contact-online", ("5A08", "C508"))
        let evidence = Evidence.examine(log, caKeys: [], issuer: IssuerKeyMaterial(log))
        #expect(evidence.first { $0.subject == "ARQC, first GENERATE AC" }?.isVerified == true)
    }

    @Test("Hidden digits of a number are no mismatch") func maskedNumber() throws {
        let log = try changed("mastercard-contact-online", ("5A08541333", "5A0854133F"))
        let evidence = Evidence.examine(log, caKeys: try testKeys(), issuer: IssuerKeyMaterial(log))
        #expect(!evidence.contains { $0.isDisproved })
        #expect(evidence.contains { $0.result == .notChecked(.maskedNumber) && $0.subject == "issuer certificate" })
        #expect(evidence.contains { $0.result == .notChecked(.maskedNumber) && $0.kind == .cryptogram })
    }

    /// A log that ends before GENERATE AC shows no date, as its PDOL has none.
    @Test("Without a date nothing is called expired") func noDate() throws {
        var log = try trace("mastercard-contact-online")
        let end = try #require(
            log.entries.firstIndex {
                if case .exchange(let exchange) = $0.event {
                    exchange.command.instruction == .generateAC
                } else {
                    false
                }
            })
        log.entries.removeSubrange(end...)
        let evidence = Evidence.examine(log, caKeys: try testKeys())
        #expect(!evidence.contains { $0.isDisproved })
        #expect(evidence.contains { $0.subject == "issuer certificate" && $0.isVerified })
        #expect(evidence.contains { $0.result == .notChecked(.date) })
    }

    @Test("A program that looks for both directories does not make a card contactless") func refusedDirectories() throws
    {
        let text = """
            > 00A404000E325041592E5359532E444446303100
            < 6A82
            > 00A404000E315041592E5359532E444446303100
            < 6A82
            > 00A4040007A000000003101000
            < 6F168407A0000000031010A50B50095649534120544553549000
            > 80A8000002830000
            < 800E00000801010010010500180102019000
            """
        let conversation = LoggedConversation(try APDUTrace(parsing: text))
        #expect(conversation.interface(conversation.cardData) != .contactless)
    }

    @Test("A tap that was lost at its first command is a tap") func silentDirectory() throws {
        let conversation = LoggedConversation(
            try APDUTrace(parsing: "> 00A404000E325041592E5359532E444446303100\n! no answer\n"))
        #expect(conversation.interface(conversation.cardData) == .contactless)
    }
}
