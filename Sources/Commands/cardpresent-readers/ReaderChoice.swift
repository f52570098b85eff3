import ArgumentParser
import CardCapture
import CardReaders
import Console
import DeviceIO

/// The selection of a command's reader.
struct ReaderChoice: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The reader, by its device file or a part of its name; needed if there are several.", valueName: "node or name"))
    var reader: String?

    /// The selected reader, among those that `isFit`.
    func found(_ purpose: String, where isFit: (ReaderCatalog.Found) -> Bool) throws -> ReaderCatalog.Found {
        try one(of: try ReaderCatalog.readers().filter(isFit), purpose, node: \.node.node, name: \.name)
    }

    /// The name of the selected reader, among those of the PC/SC service.
    func foundThroughPCSC() throws -> String {
        try one(of: try PCSCReader.names(), "reader of the PC/SC service", node: \.self, name: \.self)
    }

    private func one<Found>(of all: [Found], _ purpose: String, node: (Found) -> String, name: (Found) -> String) throws -> Found {
        let matching =
            reader.map { requested in all.filter { node($0) == requested || name($0).lowercased().contains(requested.lowercased()) } }
            ?? all
        switch matching.count {
        case 1: return matching[0]
        case 0 where reader != nil: throw InputError("\(purpose) not found: `cardpresent readers` lists the connected readers")
        case 0: throw InputError("no \(purpose) is connected: connect one, or run `cardpresent doctor`")
        default:
            let names = matching.map { node($0) == name($0) ? name($0) : "\(node($0)) (\(name($0)))" }.joined(separator: ", ")
            throw InputError("\(matching.count) readers match, choose one with --reader: \(names)")
        }
    }
}
