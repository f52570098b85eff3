internal import Bytes
internal import CSimulation
internal import CardCapture
internal import PaymentTerminal
internal import TerminalFiles

/// What stands around the terminal in a run, and what its journal begins with.
extension Scenario {
    /// What stands between the terminal and the host.
    enum Interface {
        case none, rest, xml
        /// The host is the bench host.
        case bench

        /// As the course says, else as drawn: a quarter of the gateways have the XML interface, and
        /// a sixteenth of the other hosts are the bench host.
        init(_ course: Course.Host?, _ world: World, drawsGateway: Bool) {
            switch course {
            case .extended, .listed, .bare, .kernel: self = .none
            case .extendedGateway, .publishedGateway: self = .rest
            case .extendedXML, .publishedXML: self = .xml
            case .bench: self = .bench
            case nil where drawsGateway:
                let isXML = world.draw(.parts, "interface", 4) == 3
                // An error there may come without a code, which no status replaces.
                let hasOddError = world.swarm.exists(.oddError) && world.draw(.corners, "odd interface", 2) == 1
                self = isXML || hasOddError ? .xml : .rest
            case nil: self = world.draw(.parts, "bench", 16) == 15 ? .bench : .none
            }
        }
    }

    /// The bench host verifies the cards of the kernel.
    static func chooseHost(_ world: World, _ interface: Interface) {
        func chosen(_ part: String) { world.marks.parts["host: \(part)", default: 0] += 1 }
        switch interface {
        case .xml:
            world.server = XMLServer(world)
            world.host.hasList = false
            chosen("model behind XMLGateway")
        case .rest:
            world.server = RESTServer(world)
            // The client finds orders by it where the gateway has no extensions.
            world.host.hasList = true
            chosen("model behind RESTGateway")
        case .bench:
            world.bench = EmbeddedBench(world)
            (world.host.hasExtensions, world.host.hasList) = (true, true)
            world.hasKernel = true
            chosen("bench host")
        case .none:
            chosen("model")
        }
    }

    static func key(_ number: Int) -> [UInt8] { (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) } }

    /// What the names of the journal's files begin with.
    static let journal = "journal"
}
