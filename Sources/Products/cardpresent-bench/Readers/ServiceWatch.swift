import CardReaders
import DeviceIO

/// Polls every second which readers the PC/SC service has, and whether there are cards in them. It
/// does not open them.
struct ServiceWatch {
    private static let interval = Duration.seconds(1)

    private let board: MonitorBoard

    init(_ board: MonitorBoard) { self.board = board }

    func run() async throws {
        var known: [String: (reader: PCSCReader, hasCard: Bool?)] = [:]
        while true {
            // Without the service there are no readers behind it.
            let names = Set((try? PCSCReader.names()) ?? [])
            for name in known.keys where !names.contains(name) {
                known[name] = nil
                board.left(Self.node(name), "\(name) disconnected")
            }
            for name in names.sorted() {
                if known[name] == nil, let reader = try? PCSCReader(name: name) {
                    known[name] = (reader, nil)
                    board.arrived(throughPCSC: name, Self.node(name))
                }
                guard let (reader, before) = known[name], let hasCard = try? await reader.isPresent(), hasCard != before
                else { continue }
                known[name] = (reader, hasCard)
                board.hasCard(hasCard, name, Self.node(name))
                if hasCard || before != nil { board.tell(Self.node(name), hasCard ? "card inserted" : "card removed") }
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    /// The form for `--reader`.
    private static func node(_ name: String) -> String { "pcsc:\(name)" }
}
