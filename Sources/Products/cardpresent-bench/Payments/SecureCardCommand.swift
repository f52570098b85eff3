import ArgumentParser
import Bytes
import Console
import PaymentTerminal
import TerminalMessages

struct SecureCardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secure-card",
        abstract: "Register, show, edit and delete secure cards in a vault.",
        discussion: """
            A secure card is a card kept at the host under a token. The application knows it by a merchant reference of its own choice.

            EXAMPLES
              cardpresent secure-card register customer-17
              cardpresent secure-card register customer-17 --reader pcsc:Alcor --ca-keys ca-keys.tsv
              cardpresent secure-card show customer-17
              cardpresent secure-card edit customer-17 --email anna@example.com
              cardpresent secure-card delete customer-17

            \(ExitStatus.explanation)
            """,
        subcommands: [Register.self, Show.self, Edit.self, Delete.self])

    struct Register: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read a card and keep it.", discussion: ExitStatus.explanation)
        @OptionGroup var card: SecureCardOptions
        @OptionGroup var details: SecureCardDetailOptions

        @Flag(help: "Keep a card by its data, read from standard input as `cardpresent sale --keyed` reads them.")
        var keyed = false

        func validate() throws { if keyed { try card.refuseCard("--keyed reads no card") } }

        func run() async throws {
            func register(_ terminal: Terminal, _ reference: MerchantReference, _ keyed: KeyedCard?) async throws {
                var secureCard = SecureCard(merchantReference: reference)
                details.apply(to: &secureCard.details)
                if let keyed { secureCard.tokenMethod = .keyed(keyed.details, cvv: keyed.cvv) }
                card.show(try await terminal.registerSecureCard(secureCard))
            }
            if keyed {
                try await card.withoutReader { terminal, reference in
                    try await register(terminal, reference, try KeyedCard.read())
                }
            } else {
                try await card.withTerminal { try await register($0, $1, nil) }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a secure card as the host keeps it.", discussion: ExitStatus.explanation)
        @OptionGroup var card: SecureCardOptions

        func validate() throws { try card.refuseCard("show reads no card") }

        func run() async throws {
            try await card.withoutReader { terminal, reference in
                card.show(.retrieved(try await terminal.retrieveSecureCard(reference)))
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Change the details of a secure card, and its card, which is read again unless --details-only is given.",
            discussion: ExitStatus.explanation)
        @OptionGroup var card: SecureCardOptions
        @OptionGroup var details: SecureCardDetailOptions

        @Flag(help: "Change the details only, and read no card.")
        var detailsOnly = false

        func validate() throws { if detailsOnly { try card.refuseCard("--details-only reads no card") } }

        func run() async throws {
            func edit(_ terminal: Terminal, _ reference: MerchantReference) async throws {
                var secureCard = try await terminal.retrieveSecureCard(reference)
                details.apply(to: &secureCard.details)
                secureCard.tokenMethod = detailsOnly ? .unchanged : .reader
                card.show(try await terminal.editSecureCard(secureCard))
            }
            if detailsOnly { try await card.withoutReader(edit) } else { try await card.withTerminal(edit) }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a secure card and its token.", discussion: ExitStatus.explanation)
        @OptionGroup var card: SecureCardOptions

        func validate() throws { try card.refuseCard("delete reads no card") }

        func run() async throws {
            try await card.withoutReader { terminal, reference in
                card.show(try await terminal.deleteSecureCard(reference))
            }
        }
    }
}

struct SecureCardOptions: ParsableArguments {
    @Argument(help: "The application's own name for the card, up to 48 characters.")
    var merchantReference: String

    @Flag(help: "As JSON.")
    var json = false

    @OptionGroup var bench: BenchOptions

    func show(_ response: SecureCardResponse) {
        guard !json else { return JSONText.show(TerminalMessage(.secureCard(response)).json) }
        if !response.description.isEmpty { print(response.description) }
        if let card = response.secureCard { SecureCardText.print(card) }
    }

    func refuseCard(_ reason: String) throws {
        if !bench.namesNoCard { throw ValidationError("\(reason): leave out --card, --reader and --trace") }
    }

    /// Does something with the terminal, without a reader.
    func withoutReader(_ body: (Terminal, MerchantReference) async throws -> Void) async throws {
        try await reportingErrors {
            let reference = try MerchantReference(merchantReference)
            try await bench.shop.withTerminal { try await body($0, reference) }
        }
    }

    func withTerminal(_ body: (Terminal, MerchantReference) async throws -> Void) async throws {
        try await reportingErrors {
            let reference = try MerchantReference(merchantReference)
            let log = try bench.laneLog()
            let lane = try await BenchLane(bench, settings: try bench.shop.terminalFile(), log: log)
            try await lane.withTerminal { try await body($0, reference) }
            try log.finishTrace()
        }
    }
}

struct SecureCardDetailOptions: ParsableArguments {
    @Option(help: "The cardholder's e-mail address.")
    var email: String?

    @Option(help: "The cardholder's mobile number.")
    var mobile: String?

    @Option(help: "The name of the operator.")
    var `operator`: String?

    func apply(to details: inout SecureCard.Details) {
        details.email = email ?? details.email
        details.mobileNumber = mobile ?? details.mobileNumber
        details.operatorName = `operator` ?? details.operatorName
    }
}

enum SecureCardText {
    static func print(_ card: SecureCard) {
        let rows: [(String, String?)] = [
            ("Merchant reference", card.merchantReference.text), ("Token", card.cardReference.map { "\($0)" }),
            ("Card", card.card?.maskedPAN),
            ("Expiry", card.card?.expiry.map { "\($0.mmyy.prefix(2))/\($0.mmyy.suffix(2))" }),
            ("Entry mode", card.entryMode.map { "\($0)" }), ("Reader", card.readerName),
            ("E-mail", card.details.email),
            ("Mobile", card.details.mobileNumber), ("Operator", card.details.operatorName),
            ("Security check", card.securityCheck?.rawValue),
        ]
        for case (let name, let value?) in rows { Swift.print("  \(name): \(value)") }
    }
}
