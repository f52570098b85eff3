extension StatusWord {
    /// The meaning of the status as the answer to `command`, and the terminal's next action; nil if
    /// ``summary`` is enough.
    ///
    /// EMV 4.4 Book 1, 11.3.5, 12.3.2 and 12.3.3 for SELECT; Book 3, 6.3.5, 6.5 and annex F for the
    /// others; Book 4, 6.3.4.1 for the PIN try counter.
    public func meaning(for command: CommandAPDU) -> String? {
        switch sw1 {
        case 0x61: return "\(sw2 == 0 ? 256 : Int(sw2)) bytes of the answer are available with GET RESPONSE"
        case 0x6C: return "the terminal sends the command again with a length of \(sw2 == 0 ? 256 : Int(sw2))"
        default: break
        }
        return switch command.instruction {
        case .select: selectMeaning
        case .getProcessingOptions: optionsMeaning
        case .readRecord: readingMeaning
        case .verify: verifyMeaning
        case .getData: dataMeaning
        case .generateAC: rawValue == 0x6985 ? "no further cryptogram in this transaction" : nil
        case .externalAuthenticate: authenticationMeaning
        case .internalAuthenticate: rawValue == 0x6985 ? "the application gives no dynamic signature now" : nil
        case .getChallenge: rawValue == 0x9000 ? nil : "no challenge: the PIN cannot be enciphered"
        case .applicationBlock, .applicationUnblock, .cardBlock, .pinChangeUnblock, .putData, .updateRecord:
            scriptMeaning
        default: nil
        }
    }

    private var selectMeaning: String? {
        switch rawValue {
        case 0x6283: "the application is blocked"
        case 0x6A81: "the card is blocked or does not support the command"
        case 0x6A82: "the card has no application, or no further application, of that name"
        default: nil
        }
    }

    private var optionsMeaning: String? {
        switch rawValue {
        case 0x6984: "the card asks for another interface (EMV Contactless Book C-3, 5.2)"
        case 0x6985: "the application refuses the transaction: the terminal returns to the candidate list"
        case 0x6986: "the cardholder must confirm on the phone, and present it again (EMV Contactless Book C-3, 5.2)"
        default: nil
        }
    }

    private var readingMeaning: String? {
        switch rawValue {
        case 0x6A83: "record not found; in a directory: the end of the directory"
        case 0x6A82: "the application has no such file"
        default: nil
        }
    }

    private var verifyMeaning: String? {
        if let counter {
            return counter == 0
                ? "the PIN is wrong, no tries are left"
                : "the PIN is wrong, \(counter == 1 ? "1 try is" : "\(counter) tries are") left"
        }
        return switch rawValue {
        case 0x9000: "the PIN is right"
        case 0x6983: "the PIN is blocked: no tries are left"
        case 0x6984: "the PIN is blocked, or GET CHALLENGE was not sent before"
        default: nil
        }
    }

    private var dataMeaning: String? {
        switch rawValue {
        case 0x6A88, 0x6A81, 0x6D00, 0x6985: "data object not available: the terminal continues without it"
        default: nil
        }
    }

    private var authenticationMeaning: String? {
        switch rawValue {
        case 0x9000: "the card accepts the issuer's cryptogram"
        case 0x6300: "the card rejects the issuer's cryptogram"
        case 0x6985: "issuer authentication is not allowed at this point, or a second time"
        default: "issuer authentication failed"
        }
    }

    private var scriptMeaning: String? {
        switch rawValue {
        case 0x6987: "the command has no message authentication code"
        case 0x6988: "the message authentication code is wrong"
        case 0x6982: "the card requires secure messaging for this command"
        default: nil
        }
    }
}
