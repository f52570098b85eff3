import ArgumentParser
import Bytes
import Console
import PaymentTerminal

struct ExceptionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exceptions", abstract: "Make an exception file of card numbers, or look a card up in one.",
        discussion: """
            A terminal whose configuration names the file (docs/terminal-file.md) takes no payment with a \
            listed card without its issuer's approval. The file has keyed hashes, not card numbers.

            """,
        subcommands: [ExceptionsMakeCommand.self, ExceptionsCheckCommand.self])
}

/// The cards of standard input.
private enum ListedCard {
    /// Each line has a card number and, optionally after a space, a PAN sequence number of two
    /// digits.
    static func readAll() throws(InputError) -> [(pan: SecretBytes, sequenceNumber: UInt8?)] {
        var bytes = try InputFile.bytes("-", maximumSize: 32 << 20)
        defer { wipe(&bytes) }
        var cards: [(pan: SecretBytes, sequenceNumber: UInt8?)] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let parts = line.split(separator: UInt8(ascii: " "))
            guard let number = parts.first else { continue }
            let place = "standard input, line \(index + 1)"
            guard (12...19).contains(number.count), number.allSatisfy({ (0x30...0x39).contains($0) }),
                Luhn.isValid(number)
            else {
                throw InputError("\(place): not a card number: 12 to 19 digits with a valid check digit are required")
            }
            var sequenceNumber: UInt8?
            if parts.count > 1 {
                guard parts.count == 2, let value = ExceptionFile.sequenceNumber(parts[1]) else {
                    throw InputError("\(place): a PAN sequence number has two digits")
                }
                sequenceNumber = value
            }
            cards.append((SecretBytes(number), sequenceNumber))
            guard cards.count <= ExceptionFile.maximumCount else {
                throw InputError("\(place): more than \(ExceptionFile.maximumCount) cards: split the list by terminal")
            }
        }
        guard !cards.isEmpty else { throw InputError("standard input: no card number: give one on each line") }
        return cards
    }
}

struct ExceptionsMakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make an exception file of the card numbers on standard input.",
        discussion: """
            Each line has a card number and, after a space, a PAN sequence number of two digits if \
            only that card is meant. The key file has 64 hexadecimal digits and mode 600.

            EXAMPLES
              (umask 077; openssl rand -hex 32 > exceptions.key)
              cardpresent exceptions make --key exceptions.key --output exceptions.txt < numbers

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("The file of the key.", valueName: "file"))
    var key: String

    @Option(name: .shortAndLong, help: ArgumentHelp("The exception file. Default: standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    func run() async throws {
        try await reportingErrors {
            let text = ExceptionFile.text(of: try ListedCard.readAll(), key: try ExceptionFile.key(key))
            guard let output else { return print(text, terminator: "") }
            if force {
                try OutputFile.replace(output, with: text)
            } else if try !OutputFile.create(output, with: text) {
                throw InputError("\(output) exists: give another name, or --force")
            }
        }
    }
}

struct ExceptionsCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Show which card numbers on standard input a file lists.",
        discussion: """
            EXAMPLES
              cardpresent exceptions check exceptions.txt --key exceptions.key < numbers

            The exit status is 1 if a card is listed.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The exception file.")
    var file: String

    @Option(help: ArgumentHelp("The file of the key.", valueName: "file"))
    var key: String

    @Flag(help: "As JSON.")
    var json = false

    private struct Document: Encodable {
        let entries, cards: Int
        /// Numbers of the cards on standard input, from 1.
        let listed: [Int]
    }

    func run() async throws {
        try await reportingErrors {
            let list = try ExceptionFile.load(file, keyFile: key)
            let cards = try ListedCard.readAll()
            let listed = cards.indices.filter {
                list.contains(pan: cards[$0].pan, sequenceNumber: cards[$0].sequenceNumber)
            }
            if json {
                print(try JSONText.of(Document(entries: list.count, cards: cards.count, listed: listed.map { $0 + 1 })))
            } else {
                print("\(counted(list.count, "entry", plural: "entries")), \(counted(cards.count, "card")) looked up")
                for index in listed { print("card \(index + 1) is listed") }
                if listed.isEmpty { print("no card is listed") }
            }
            if !listed.isEmpty { throw ExitCode(ExitStatus.negative) }
        }
    }
}
