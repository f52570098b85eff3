import SmartCard
import Testing

/// What a status means depends on what it answers (EMV 4.4 Book 1, 12.3; Book 3, 6.3.5, 6.5 and annex F).
@Suite struct StatusMeaningTests {
    @Test(
        arguments: [
            (Instruction.select, 0x6283, "the application is blocked"), (.select, 0x6A81, "the card is blocked, or has no such command"),
            (.select, 0x6A82, "the card has no application of that name, or no further one"),
            (.readRecord, 0x6A83, "the file has no such record: in a directory, its end"),
            (.verify, 0x63C1, "the PIN is wrong, 1 try is left"), (.verify, 0x63C0, "the PIN is wrong, and no try is left"),
            (.verify, 0x6983, "the PIN is blocked: there is no try left"),
            (.getData, 0x6A88, "the card does not give this data object: the terminal goes on without it"),
            (.externalAuthenticate, 0x6300, "the card did not take the issuer's cryptogram for genuine"),
            (.generateAC, 0x6985, "no further cryptogram in this transaction"),
            (.getProcessingOptions, 0x610A, "10 bytes of the answer wait for GET RESPONSE"),
            (.readRecord, 0x6C00, "the same command is to be sent again with a length of 256"),
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

    @Test func commands() {
        #expect(CommandDescription.words(.generateAC(0x88, [])) == "GENERATE AC for ARQC with XDA")
        #expect(CommandDescription.words(CommandAPDU(cla: 0x04, ins: 0xDC, p1: 2, p2: 0x14)) == "UPDATE RECORD 2 of SFI 2")
        #expect(CommandDescription.details(CommandAPDU(cla: 0x84, ins: 0x1E)) == ["with secure messaging"])
        #expect(CommandDescription.details(.getData(0x9F17)) == ["Personal Identification Number (PIN) Try Counter"])
        #expect(CommandDescription.details(CommandAPDU(cla: 0x84, ins: 0x24)) == ["with secure messaging", "unblocks the PIN"])
    }
}
