import ArgumentParser
import Bytes
import Console
import EMVExplanation
import MagneticStripe
import Reports
import SmartCard
import TLV

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract:
            "Explain BER-TLV data, one value, a data object list, a command, a status word, an answer to reset, or the tracks of a magnetic stripe.",
        discussion: """
            EXAMPLES
              cardpresent decode 6F168407A0000000031010A50B5009564953412054455354
              cardpresent decode --tag 95 8000008000
              cardpresent decode --tag 9F10 --aid A0000000031010 06010A03A0B000
              cardpresent decode --dol 9F02069F03069F1A0295055F2A029A039C019F3704
              cardpresent decode --sw 6985 --apdu 80A8000002830000
              cardpresent decode --apdu 80AE8000
              cardpresent decode 3B6500002063CB6600
              xclip -o | cardpresent decode -
              cardpresent decode ';4761739001010119=49122010000000000?'

            PANs, tracks and names are masked unless --show-card-data is given.

            \(ExitStatus.explanation)
            """)

    @Argument(
        help:
            "Hexadecimal digits, also with 0x, colons, commas or brackets, or tracks from % or ; to ?; - reads them from standard input."
    )
    var hex: [String] = []

    @Option(help: "The digits are the value of this tag, for example 95 or 9F34.")
    var tag: String?

    @Flag(help: "The digits are a data object list: tags and lengths without values.")
    var dol = false

    @Option(
        help:
            "The AID, or its first five bytes: the payment system whose coding the issuer application data (9F10) have."
    )
    var aid: String?

    @Flag(help: "The digits are a command APDU; --sw adds the status word of its answer.")
    var apdu = false

    @Option(help: "A status word; with --apdu, of the answer to that command.")
    var sw: String?

    @Flag(help: "Show PANs, tracks and names in full. For test cards only.")
    var showCardData = false

    @Flag(help: "As JSON (docs/json.md).")
    var json = false

    func validate() throws {
        if json && (apdu || sw != nil) { throw ValidationError("--json does not support --apdu and --sw") }
        if dol && tag != nil { throw ValidationError("--tag and --dol exclude each other") }
        if apdu && (dol || tag != nil) { throw ValidationError("--apdu, --tag and --dol exclude each other") }
        if sw != nil && !apdu && !hex.isEmpty {
            throw ValidationError("digits beside --sw are a command: give --apdu too")
        }
        if hex.isEmpty && (sw == nil || apdu) { throw ValidationError("no digits to decode") }
    }

    func run() throws {
        do {
            if sw != nil || apdu { return try showCommand() }
            let words = hex == ["-"] ? [try InputFile.text("-")] : hex
            let first = words.joined().first { !$0.isWhitespace }
            // A reader may type a text before the tracks.
            let hasTrack =
                words.contains { $0.contains("?") } && words.contains { $0.contains("%") || $0.contains(";") }
            if first == "%" || first == ";" || hasTrack {
                return try showTracks(words.joined(separator: " "))
            }
            let bytes = try [UInt8](pastedHex: Self.withoutLabel(words.joined(separator: " ")))
            guard !bytes.isEmpty else { throw InputError("no digits to decode") }
            guard tag == nil, !dol, bytes[0] == 0x3B || bytes[0] == 0x3F else { return try show(bytes) }
            let answer: AnswerToReset
            do throws(AnswerToResetError) {
                answer = try AnswerToReset(parsing: bytes)
            } catch {
                // Few data objects begin like an answer to reset, and those are well-formed.
                guard DataField.readableFields(bytes, isRedacted: true).problem == nil else { throw error }
                return try show(bytes)
            }
            try show(answer)
        } catch {
            printError(Masking.text("\(error)"))
            throw ExitCode(ExitStatus.failure)
        }
    }

    /// Without the word that programs put before an answer to reset.
    private static func withoutLabel(_ text: String) -> Substring {
        let text = text.drop(while: \.isWhitespace)
        return text.uppercased().hasPrefix("ATR") ? text.dropFirst(3) : text
    }

    private func show(_ bytes: [UInt8]) throws {
        if let tag {
            guard let tag = Tag(hex: tag) else {
                throw InputError("--tag is not a tag: give its hexadecimal digits, for example 95 or 9F34")
            }
            let (field, fault) = DataField.decoded(tag, bytes, isRedacted: !showCardData, context: try context())
            try show(field.lines())
            if let fault { throw InputError("the value does not fit tag \(tag): \(fault)") }
            return
        }
        if dol { return try show(TLVDescription.lines(try DOL(parsing: bytes))) }
        if bytes.count <= 16, let name = PaymentSystem(rid: Array(bytes.prefix(5))).name {
            return try show([TLVDescription.Line(depth: 0, text: "AID \(bytes.hex), \(name)")])
        }
        // A damaged object is shown as far as it goes.
        let (fields, problem) = DataField.readableFields(bytes, isRedacted: !showCardData, context: try context())
        if !fields.isEmpty { try show(fields.flatMap { $0.lines() }) }
        if let problem { throw problem }
        if fields.isEmpty { throw InputError("the digits are padding, and no data object") }
    }

    private func printJSON(_ lines: [DecodedLine]) throws { print(try JSONText.of(DecodedDocument(lines: lines))) }

    private func show(_ answer: AnswerToReset) throws {
        let lines = AnswerToResetDescription.lines(answer)
        if json { return try printJSON([DecodedLine("Answer to reset")] + lines.map { DecodedLine($0, depth: 1) }) }
        print(Console().paint("Answer to reset", .cyan))
        for line in lines { print("  \(line)") }
    }

    private func context() throws -> ValueContext {
        guard let aid else { return ValueContext() }
        guard let bytes = try? [UInt8](pastedHex: aid), bytes.count >= 5 else {
            throw InputError("--aid needs at least five bytes in hexadecimal digits")
        }
        return ValueContext(rid: Array(bytes.prefix(5)))
    }

    /// The command as text, the data objects in its data, and the meaning of a status word as its
    /// answer.
    private func showCommand() throws {
        let console = Console()
        var command: CommandAPDU?
        if apdu {
            let words = hex == ["-"] ? [try InputFile.text("-")] : hex
            guard let read = CommandAPDU(try [UInt8](pastedHex: words.joined(separator: " "))) else {
                throw InputError("the digits are not a command: the lengths do not match")
            }
            command = read
            print(console.paint(CommandDescription.summary(read), .cyan))
            for detail in CommandDescription.details(read) { print("  \(detail)") }
            if read.instruction != .verify, read.instruction != .pinChangeUnblock,
                let fields = try? DataField.fields(read.data, isRedacted: !showCardData)
            {
                try show(fields.flatMap { $0.lines(depth: 1) })
            }
        }
        guard let sw else { return }
        guard let bytes = try? [UInt8](pastedHex: sw), bytes.count == 2 else {
            throw InputError("--sw needs four hexadecimal digits")
        }
        let status = StatusWord(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        print("\(console.paint(status.description, .cyan)) \(status.summary)")
        if let meaning = command.flatMap({ status.meaning(for: $0) }) { print("  \(meaning)") }
        guard command == nil else { return }
        for instruction in Instruction.allCases {
            if let meaning = status.meaning(for: CommandAPDU(ins: instruction.rawValue)) {
                print("  to \(instruction.name): \(meaning)")
            }
        }
    }

    private func showTracks(_ text: String) throws {
        guard tag == nil, !dol else {
            throw InputError("--tag and --dol need hexadecimal digits, not the tracks of a stripe")
        }
        let swipe = Swipe(text: text)
        guard swipe.isReadable else { throw InputError(swipe.description) }
        let console = Console()
        if json {
            return try printJSON(
                MagstripeDescription.lines(swipe, isRedacted: !showCardData).map {
                    DecodedLine($0.text, depth: $0.depth)
                })
        }
        for line in MagstripeDescription.lines(swipe, isRedacted: !showCardData) {
            print(line.depth == 0 ? console.paint(line.text, .cyan) : "  " + line.text)
        }
    }

    private func show(_ lines: [TLVDescription.Line]) throws {
        if json {
            return try printJSON(
                lines.map { DecodedLine($0.text, depth: $0.depth, tag: $0.tag.map { "\($0)" }, value: $0.value) })
        }
        let console = Console()
        for line in lines {
            let indent = String(repeating: "  ", count: line.depth)
            guard let tag = line.tag else {
                print(indent + console.paint(line.text, .dim))
                continue
            }
            let name = tag.description
            print(indent + console.paint(name, .cyan) + line.text.dropFirst(name.count))
        }
    }
}

/// The output of `decode` for JSON, masked like the text.
struct DecodedDocument: Encodable {
    let lines: [DecodedLine]
}

struct DecodedLine: Encodable {
    /// The number of enclosing templates.
    let depth: Int
    let text: String
    /// For a data object's own line.
    let tag, value: String?

    init(_ text: String, depth: Int = 0, tag: String? = nil, value: String? = nil) {
        self.depth = depth
        self.text = text
        self.tag = tag
        self.value = value
    }
}
