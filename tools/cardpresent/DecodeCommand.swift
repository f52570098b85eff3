import ArgumentParser
import Bytes
import Console
import MagneticStripe
import Reports
import TLV

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Explain BER-TLV data, one value, a data object list, or the tracks of a magnetic stripe.",
        discussion: """
            EXAMPLES
              cardpresent decode 6F168407A0000000031010A50B5009564953412054455354
              cardpresent decode --tag 95 8000008000
              cardpresent decode --dol 9F02069F03069F1A0295055F2A029A039C019F3704
              xclip -o | cardpresent decode -
              cardpresent decode ';4761739001010119=49122010000000000?'

            PANs, tracks and names are masked unless --show-card-data is given.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "Hexadecimal digits, white space allowed, or tracks from % or ; to ?; - reads them from standard input.")
    var hex: [String]

    @Option(help: "The digits are the value of this tag, for example 95 or 9F34.")
    var tag: String?

    @Flag(help: "The digits are a data object list: tags and lengths without values.")
    var dol = false

    @Flag(help: "Show PANs, tracks and names in full. For test cards only.")
    var showCardData = false

    func validate() throws {
        if dol && tag != nil { throw ValidationError("--tag and --dol exclude each other") }
    }

    func run() throws {
        do {
            let words = hex == ["-"] ? [try InputFile.text("-")] : hex
            let first = words.joined().first { !$0.isWhitespace }
            if first == "%" || first == ";" { return try showTracks(words.joined(separator: " ")) }
            let bytes = try [UInt8](hex: words.joined())
            guard !bytes.isEmpty else { throw InputError("there are no digits to decode") }
            show(try lines(bytes))
        } catch {
            printError("\(error)")
            throw ExitCode(ExitStatus.failure)
        }
    }

    private func lines(_ bytes: [UInt8]) throws -> [TLVDescription.Line] {
        if let tag {
            guard let tag = Tag(hex: tag) else {
                throw InputError("--tag names no tag: give its hexadecimal digits, for example 95 or 9F34")
            }
            return TLVDescription.lines(tag, bytes, isRedacted: !showCardData)
        }
        if dol { return TLVDescription.lines(try DOL(parsing: bytes)) }
        return try TLVDescription.lines(bytes, isRedacted: !showCardData)
    }

    private func showTracks(_ text: String) throws {
        guard tag == nil, !dol else { throw InputError("--tag and --dol want hexadecimal digits, not the tracks of a stripe") }
        let swipe = Swipe(text: text)
        guard swipe.isReadable else { throw InputError(swipe.description) }
        let console = Console()
        for line in StripeDescription.lines(swipe, isRedacted: !showCardData) {
            print(line.depth == 0 ? console.paint(line.text, .cyan) : "  " + line.text)
        }
    }

    private func show(_ lines: [TLVDescription.Line]) {
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
