import CardCapture
import PaymentTerminal
import SmartCard
import Testing

/// Point A2 of docs/requirements.md: codes that programs and logs keep. The lists are written by
/// hand: what is in them may not change.
@Suite struct ErrorCodeTests {
    @Test("each error of the terminal has a code that stays, and is found again by it") func terminal() {
        let codes = [
            "busy", "readerNotConnected", "invalidAmount", "invalidCardData", "cardNotRead", "cancelled", "notPossible",
            "cardDeclined", "readerNotEnabled", "cardKindRefused", "idempotencyConflict", "journalFailed", "lowBattery",
            "testEquipment", "orderAlreadyProcessed", "transactionUnknown", "notAllowed", "secureCardExists",
            "secureCardUnknown", "secureCardDeleted", "cardRefused", "validationFailed", "invalidRequest",
            "notAuthorized", "notSupported", "hostUnreachable", "noHostAnswer", "answerNotGenuine", "hostInternalError",
        ]
        #expect(TerminalError.Code.allCases.map(\.rawValue) == codes)
        #expect(codes.map { TerminalError.Code(rawValue: $0) } == TerminalError.Code.allCases)
        #expect(TerminalError.Code(rawValue: "hostInternalError") == .hostFailed(.internalError))
        #expect(TerminalError.Code(rawValue: "unknown") == nil)
        #expect("\(TerminalError.Code.refused(.cardRefused))" == "cardRefused")
    }

    @Test("so have the errors of journals and readers") func others() {
        #expect(JournalError.Code.allCases.map(\.rawValue) == ["orderExists", "full", "damaged", "failed"])
        let captures: [(CaptureError, String)] = [
            (.noCardPresented, "noCardPresented"), (.severalCards, "severalCards"), (.cardRemoved, "cardRemoved"),
            (.cardNotRemoved, "cardNotRemoved"), (.cancelled, "cancelled"), (.amountTooLong, "amountTooLong"),
            (.cardDataMissing, "cardDataMissing"), (.swipeDecryption(.noKey), "swipeDecryption"),
            (.memoryFailed, "memoryFailed"),
            (.readerFailed(.timedOut), "readerFailed"),
        ]
        for (error, code) in captures { #expect(error.code.rawValue == code) }
        #expect(captures.map(\.0.code) == CaptureError.Code.allCases)
    }
}
