import ArgumentParser
import CardCapture
import CardReaders
import Console
import DeviceIO

/// The selection of a command's reader.
struct ReaderChoice: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The reader, by its device file or a part of its name, or FAMILY:/dev/NODE for one that cannot be identified; needed if there are several.",
            valueName: "node or name"))
    var reader: String?

    /// The reader of `FAMILY:/dev/NODE`.
    var named: ReaderCatalog.Found? { reader.flatMap(ReaderCatalog.named) }

    /// A reader that this program drives, or the name of one of the PC/SC service.
    enum Place {
        case ours(ReaderCatalog.Found)
        case throughPCSC(String)
    }

    /// The selected reader as `sale` finds it: `pcsc:` means the PC/SC service, whose readers are
    /// also taken if none of ours has the name.
    func place(_ purpose: String, where isFit: (ReaderCatalog.Found) -> Bool) throws -> Place {
        guard let reader else { return .ours(try found(purpose, where: isFit)) }
        if reader.hasPrefix(ReaderCatalog.throughPCSC) {
            return .throughPCSC(try foundThroughPCSC(String(reader.dropFirst(ReaderCatalog.throughPCSC.count))))
        }
        do {
            return .ours(try found(purpose, where: isFit))
        } catch {
            let names = ((try? PCSCReader.names()) ?? []).filter { $0.lowercased().contains(reader.lowercased()) }
            guard named == nil, names.count == 1 else { throw error }
            return .throughPCSC(names[0])
        }
    }

    /// The selected reader, among those that `isFit`.
    func found(_ purpose: String, where isFit: (ReaderCatalog.Found) -> Bool) throws -> ReaderCatalog.Found {
        if let named {
            guard isFit(named) else { throw InputError("\(named.name) is no \(purpose): choose another with --reader") }
            return named
        }
        return try one(of: try ReaderCatalog.readers().filter(isFit), purpose, reader, node: \.node.node, name: \.name)
    }

    /// The name of the selected reader, among those of the PC/SC service.
    func foundThroughPCSC() throws -> String { try foundThroughPCSC(reader) }

    private func foundThroughPCSC(_ requested: String?) throws -> String {
        try one(of: try PCSCReader.names(), "reader of the PC/SC service", requested, node: \.self, name: \.self)
    }

    private func one<Found>(
        of all: [Found], _ purpose: String, _ requested: String?, node: (Found) -> String, name: (Found) -> String
    ) throws -> Found {
        let matching =
            requested.map { requested in
                all.filter { node($0) == requested || name($0).lowercased().contains(requested.lowercased()) }
            }
            ?? all
        switch matching.count {
        case 1: return matching[0]
        case 0 where requested != nil:
            throw InputError("\(purpose) not found: `cardpresent readers` lists the connected readers")
        case 0: throw InputError("no \(purpose) is connected: connect one, or run `cardpresent doctor`")
        default:
            let names = matching.map { node($0) == name($0) ? name($0) : "\(node($0)) (\(name($0)))" }.joined(
                separator: ", ")
            throw InputError("\(matching.count) readers match, choose one with --reader: \(names)")
        }
    }
}
