import ArgumentParser
import Console
import JSONDocument
import Peripherals
import Printing

/// What a printer is: its model's profile.
struct ProfileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The printer's model: an id of cardpresent print models. A USB id does not tell it.", valueName: "id"))
    var profile: String

    @Option(
        help: ArgumentHelp(
            "A file of further profiles, as print models --json writes them.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var profiles: String?

    func chosen() throws -> PrinterProfile {
        let all = try Self.all(profiles)
        guard let found = all.first(where: { $0.id == profile }) else {
            throw InputError("printer model '\(profile)' not found: cardpresent print models lists them")
        }
        return found
    }

    /// The package's profiles; those of the file come first and stand for others of their id.
    static func all(_ file: String?) throws -> [PrinterProfile] {
        guard let file else { return PrinterProfile.known }
        let document = try InputFile.bytes(file, maximumSize: 1 << 20)
        let own: [PrinterProfile]
        do throws(DocumentError) {
            own = try PrinterProfile.profiles(of: document)
        } catch {
            throw InputError(error.description(of: InputFile.name(file)))
        }
        return own + PrinterProfile.known.filter { known in !own.contains { $0.id == known.id } }
    }
}

/// The font that draws pictures of slips.
enum PictureFont {
    /// Where Debian's fonts-dejavu-core has it.
    static let usual = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"

    /// - Parameter path: Of the user's font; nil takes the usual one.
    static func file(_ path: String?) throws -> SlipFont {
        let path = path ?? usual
        let bytes: [UInt8]
        do throws(InputError) {
            bytes = try InputFile.bytes(path)
        } catch {
            throw InputError("\(error): install fonts-dejavu-core, or give a font with --font")
        }
        do throws(SlipFont.NotAFont) {
            return try SlipFont(bytes)
        } catch {
            throw InputError("\(InputFile.name(path)): \(error)")
        }
    }
}

/// For --printer.
struct PrinterChoice: ExpressibleByArgument {
    let value: PrinterAddress

    init?(argument: String) {
        guard let address = try? PrinterAddress(parsing: argument) else { return nil }
        value = address
    }
}
