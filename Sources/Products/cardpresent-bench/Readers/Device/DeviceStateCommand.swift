import ArgumentParser
import Console
import DeviceSupply

struct DeviceStateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Show which configuration each reader has, and which loads were interrupted.",
        discussion: """
            --forget removes the state of a reader that its maker has reset: it counts as never \
            configured, and takes packages for production or for tests again.

            EXAMPLES
              cardpresent device state
              cardpresent device state --forget 01927612

            \(ExitStatus.explanation)
            """)

    @OptionGroup var state: StateOption

    @Option(help: ArgumentHelp("Forget the reader with this serial number.", valueName: "serial number"))
    var forget: String?

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        if forget != nil && json { throw ValidationError("--forget and --json exclude each other") }
    }

    private struct Document: Encodable {
        let readers: [Row]

        struct Row: Encodable {
            let maker, serialNumber: String
            let stage, installedVersion: String?
            let load: Load?
        }

        struct Load: Encodable {
            let packageVersion: String
            let step, steps: Int
        }
    }

    func run() async throws {
        try await reportingErrors {
            let folder = try state.folder
            let states = try folder.states()
            if let forget {
                let matching = states.filter { $0.serialNumber == forget }
                guard !matching.isEmpty else {
                    throw InputError("no state of a reader with the serial number \(forget)")
                }
                for state in matching { try folder.forget(state) }
                return
            }
            guard !json else { return print(try JSONText.of(Document(readers: states.map(row)))) }
            if states.isEmpty { print("No reader was supplied from here.") }
            Console().table(
                ["MAKER", "SERIAL NUMBER", "FOR", "VERSION", "INTERRUPTED"],
                states.map { state in
                    let load = state.load.map { "\($0.version), \($0.step) of \($0.steps) files" }
                    return [
                        state.maker, state.serialNumber, state.stage?.rawValue ?? "", state.installed?.version ?? "",
                        load ?? "",
                    ]
                })
        }
    }

    private func row(_ state: SupplyState) -> Document.Row {
        Document.Row(
            maker: state.maker, serialNumber: state.serialNumber, stage: state.stage?.rawValue,
            installedVersion: state.installed?.version,
            load: state.load.map { Document.Load(packageVersion: $0.version, step: $0.step, steps: $0.steps) })
    }
}
