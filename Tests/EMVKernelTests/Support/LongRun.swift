import EMVKernel

/// A run through every phase: directory, PDOL, two files, PIN, velocity, ARQC, EXTERNAL
/// AUTHENTICATE, both kinds of script.
enum LongRun {
    static var card: CardImage {
        var card = CardImage()
        card.aip = "1C00"
        card.afl = "0801010010010100"
        card.proprietary = object("9F38", "9F3704")
        card["8E"] = "0000000000000000" + "0300"
        card["9F14"] = "02"
        card["9F23"] = "05"
        card["9F0F"] = "8000000000"
        card.cryptograms = [cryptogram("80"), cryptogram("40")]
        let directory = object("6F", object("84", "315041592E5359532E4444463031") + object("A5", object("88", "03")))
        card.pairs = [
            ("00A404000E315041592E5359532E444446303100", directory + "9000"),
            ("00B2011C00", object("70", object("61", object("4F", CardImage.aid))) + "9000"), ("00B2021C00", "6A83"),
            ("00B2011400", object("70", object("5F34", "01")) + "9000"), ("80CA9F1700", "9F1701039000"),
            ("0020008008241234FFFFFFFFFF", "63C2"),
            ("0020008008241234FFFFFFFFFF", "9000"), ("80CA9F3600", "9F360200109000"), ("80CA9F1300", "9F1302000F9000"),
            ("0082", "9000"),
            ("84", "9000"),
        ]
        return card
    }

    static func bench() -> KernelBench {
        var bench = KernelBench()
        bench.configuration.usesPaymentSystemEnvironment = true
        bench.cardholder.pinPad = TestPINPad(.enters)
        bench.issuer = TestIssuer(
            "00", authenticationData: "1122334455667788",
            scripts: ["7110" + "8605841E000000" + "86058424000000" + "0000", "7207" + "86058416000000"])
        return bench
    }

    static let commands = [
        "00A404000E", "00B2011C", "00B2021C", "00A4040007", "80A8", "00B2010C", "00B20114", "80CA9F17", "00200080",
        "00200080", "80CA9F36", "80CA9F13", "80AE80", "0082", "841E", "8424", "80AE40", "8416",
    ]
}
