import ArgumentParser
import Bytes
import Console
import TLV

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Explain BER-TLV data, one value, or a data object list, to the bit.",
        discussion: """
            EXAMPLES
              cardpresent decode 6F168407A0000000031010A50B5009564953412054455354
              cardpresent decode --tag 95 8000008000
              cardpresent decode --dol 9F02069F03069F1A0295055F2A029A039C019F3704
              xclip -o | cardpresent decode -

            PANs, tracks and names are masked unless --show-card-data is given.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "Hexadecimal digits, white space allowed; - reads them from standard input.")
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
            let bytes = try [UInt8](hex: hex == ["-"] ? InputFile.text("-") : hex.joined())
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
