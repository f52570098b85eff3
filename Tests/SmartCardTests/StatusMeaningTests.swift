import SmartCard
import Testing

/// What a status means depends on what it answers (EMV 4.4 Book 1, 12.3; Book 3, 6.3.5, 6.5 and
/// annex F).
@Suite struct StatusMeaningTests {
    @Test(
        "each status word has its meaning for its command",
        arguments: [
            (Instruction.select, 0x6283, "the application is blocked"),
            (.select, 0x6A81, "the card is blocked or does not support the command"),
            (.select, 0x6A82, "the card has no application, or no further application, of that name"),
            (.readRecord, 0x6A83, "record not found; in a directory: the end of the directory"),
            (.verify, 0x63C1, "the PIN is wrong, 1 try is left"),
            (.verify, 0x63C0, "the PIN is wrong, no tries are left"),
            (.verify, 0x6983, "the PIN is blocked: no tries are left"),
            (.getData, 0x6A88, "data object not available: the terminal continues without it"),
            (.externalAuthenticate, 0x6300, "the card rejects the issuer's cryptogram"),
            (.generateAC, 0x6985, "no further cryptogram in this transaction"),
            (.getProcessingOptions, 0x610A, "10 bytes of the answer are available with GET RESPONSE"),
            (.readRecord, 0x6C00, "the terminal sends the command again with a length of 256"),
            (.cardBlock, 0x6988, "the message authentication code is wrong"),
        ] as [(Instruction, UInt16, String)])
    func meaning(_ instruction: Instruction, _ status: UInt16, _ words: String) {
        #expect(StatusWord(rawValue: status).meaning(for: CommandAPDU(ins: instruction.rawValue)) == words)
    }

    @Test func nothingToAdd() {
        #expect(StatusWord.success.meaning(for: .select([0xA0])) == nil)
        #expect(StatusWord.recordNotFound.meaning(for: .select([0xA0])) == nil, "that is for READ RECORD")
        #expect(StatusWord.conditionsNotSatisfied.meaning(for: CommandAPDU(ins: 0xFE)) == nil)
    }

    @Test("each command is described in words") func commands() {
        #expect(CommandDescription.summary(.generateAC(0x88, [])) == "GENERATE AC for ARQC with XDA")
        #expect(
            CommandDescription.summary(CommandAPDU(cla: 0x04, ins: 0xDC, p1: 2, p2: 0x14)) == "UPDATE RECORD 2 of SFI 2"
        )
        #expect(CommandDescription.details(CommandAPDU(cla: 0x84, ins: 0x1E)) == ["with secure messaging"])
        #expect(CommandDescription.details(.getData(0x9F17)) == ["Personal Identification Number (PIN) Try Counter"])
        #expect(
            CommandDescription.details(CommandAPDU(cla: 0x84, ins: 0x24)) == [
                "with secure messaging", "unblocks the PIN",
            ])
    }
}
