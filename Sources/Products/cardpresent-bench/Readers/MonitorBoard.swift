import CardCapture
import CardReaders
import Console
import DeviceIO
import FoundationEssentials
import Reports
import Synchronization

/// The state of the monitor, shown at each change: on the screen, or as lines with times.
final class MonitorBoard: Sendable {
    private let view = Mutex(MonitorView())
    private let screen: LiveScreen?

    init(_ screen: LiveScreen?) { self.screen = screen }

    func update(_ change: @Sendable (inout MonitorView) -> Void) {
        view.withLock { view in
            let before = view
            change(&view)
            if view != before { draw(view) }
        }
    }

    func redraw() { view.withLock { draw($0, redrawsAll: true) } }

    func tell(_ node: String, _ text: String) {
        let time = Date().formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true).time(includingFractionalSeconds: true))
        view.withLock { view in
            view.tell("\(time) \(node) \(text)")
            if screen == nil {
                let console = Console()
                StandardOutput.tell("\(console.paint(time, .dim)) \(console.paint(node, .cyan)) \(text)")
            } else {
                draw(view)
            }
        }
    }

    private func draw(_ view: MonitorView, redrawsAll: Bool = false) {
        guard let screen else { return }
        let (width, height) = LiveScreen.size
        screen.draw(view.lines(width: width, height: height, on: Console()), redrawsAll: redrawsAll)
    }

    // MARK: Readers

    func arrived(_ found: ReaderCatalog.Found) {
        let node = found.node.node
        let holder = found.node.kind == .bluetooth ? nil : DeviceHolder.program(holding: node)
        update { view in
            view.readers.removeAll { $0.node == node }
            view.readers.append(
                MonitorView.Reader(name: found.name, family: found.family.name, node: node, holder: holder))
        }
        tell(node, "\(found.name) connected (\(found.family.name))")
    }

    func arrived(throughPCSC name: String, _ node: String) {
        update { $0.readers.append(MonitorView.Reader(name: name, family: "PC/SC", node: node)) }
        tell(node, "\(name) connected (PC/SC)")
    }

    func failed(_ node: String, _ why: String) {
        update { view in
            for index in view.readers.indices where view.readers[index].node == node {
                view.readers[index].remark = why
            }
        }
        tell(node, why)
    }

    func left(_ node: String, _ words: String) {
        update { view in view.readers.removeAll { $0.node == node } }
        tell(node, words)
    }

    func hasCard(_ hasCard: Bool, _ slot: String, _ node: String) {
        update { view in
            for index in view.readers.indices where view.readers[index].node == node {
                if let place = view.readers[index].slots.firstIndex(where: { $0.name == slot }) {
                    view.readers[index].slots[place].hasCard = hasCard
                } else {
                    view.readers[index].slots.append(MonitorView.Slot(name: slot, hasCard: hasCard))
                }
            }
        }
    }
}
