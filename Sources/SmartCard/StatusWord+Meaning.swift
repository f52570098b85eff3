extension StatusWord {
    /// What the status means as the answer to `command`, and what a terminal does then; nil where ``words`` say it all.
    ///
    /// EMV 4.4 Book 1, 11.3.5, 12.3.2 and 12.3.3 for SELECT; Book 3, 6.3.5, 6.5 and annex F for the others; Book 4, 6.3.4.1 for the PIN try counter.
    public func meaning(for command: CommandAPDU) -> String? {
        switch sw1 {
        case 0x61: return "\(sw2 == 0 ? 256 : Int(sw2)) bytes of the answer wait for GET RESPONSE"
        case 0x6C: return "the same command is to be sent again with a length of \(sw2 == 0 ? 256 : Int(sw2))"
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
        case .internalAuthenticate: rawValue == 0x6985 ? "the application makes no dynamic signature now" : nil
        case .getChallenge: rawValue == 0x9000 ? nil : "no challenge: the PIN cannot be enciphered"
        case .applicationBlock, .applicationUnblock, .cardBlock, .pinChangeUnblock, .putData, .updateRecord: scriptMeaning
        default: nil
        }
    }

    private var selectMeaning: String? {
        switch rawValue {
        case 0x6283: "the application is blocked"
        case 0x6A81: "the card is blocked, or has no such command"
        case 0x6A82: "the card has no application of that name, or no further one"
        default: nil
        }
    }

    private var optionsMeaning: String? {
        rawValue == 0x6985 ? "the application does not want to run here: the terminal goes back to the list of applications" : nil
    }

    private var readingMeaning: String? {
        switch rawValue {
        case 0x6A83: "the file has no such record: in a directory, its end"
        case 0x6A82: "the application has no such file"
        default: nil
        }
    }

    private var verifyMeaning: String? {
        if let counter {
            return counter == 0
                ? "the PIN is wrong, and no try is left" : "the PIN is wrong, \(counter == 1 ? "1 try is" : "\(counter) tries are") left"
        }
        return switch rawValue {
        case 0x9000: "the PIN is right"
        case 0x6983: "the PIN is blocked: there is no try left"
        case 0x6984: "the PIN is blocked, or the challenge for it has not been asked for"
        default: nil
        }
    }

    private var dataMeaning: String? {
        switch rawValue {
        case 0x6A88, 0x6A81, 0x6D00, 0x6985: "the card does not give this data object: the terminal goes on without it"
        default: nil
        }
    }

    private var authenticationMeaning: String? {
        switch rawValue {
        case 0x9000: "the card took the issuer's cryptogram for genuine"
        case 0x6300: "the card did not take the issuer's cryptogram for genuine"
        case 0x6985: "issuer authentication was not wanted now, or a second time"
        default: "issuer authentication counts as failed"
        }
    }

    private var scriptMeaning: String? {
        switch rawValue {
        case 0x6987: "the command has no message authentication code"
        case 0x6988: "the message authentication code is wrong"
        case 0x6982: "the card does not let this be done without secure messaging"
        default: nil
        }
    }
}
