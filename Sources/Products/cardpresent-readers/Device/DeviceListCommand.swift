import ArgumentParser
import CardReaders
import Console
import DeviceIO
import DeviceSupply

struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the connected readers that take configurations, and what each takes.",
        discussion: """
            The list opens no reader. The serial number is that of the USB device, which may differ from \
            the one that the reader reports.

            \(ExitStatus.explanation)
            """)

    @Flag(help: "As JSON.")
    var json = false

    private struct Document: Encodable {
        let readers: [Row]

        struct Row: Encodable {
            let name, family, node, serialNumber: String
            let loaders: [String]
        }
    }

    func run() async throws {
        try await reportingErrors {
            let rows = try ReaderCatalog.readers().filter { !$0.family.loaders.isEmpty }.map { found in
                Document.Row(
                    name: found.name, family: found.family.name, node: found.node.node, serialNumber: found.node.serialNumber,
                    loaders: found.family.loaders.map(\.rawValue))
            }
            guard !json else { return print(try JSONText.of(Document(readers: rows))) }
            if rows.isEmpty { print("No reader that takes configurations is connected: `cardpresent readers` lists all readers.") }
            Console().table(
                ["READER", "FAMILY", "NODE", "SERIAL NUMBER", "TAKES"],
                rows.map { [$0.name, $0.family, $0.node, $0.serialNumber, $0.loaders.joined(separator: ", ")] })
        }
    }
}
