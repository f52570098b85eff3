import CardCapture
package import DeviceIO

/// Detects when an open reader is unplugged, even if no operation uses it, and when it is plugged
/// in again.
///
/// A driver itself detects this only while it waits for the device.
package struct ReaderWatch: Sendable {
    private let found: ReaderCatalog.Found
    private let events: ReaderEvents

    /// A watch over an open reader; ``run(_:reconnect:)`` starts it.
    ///
    /// - Parameters:
    ///   - found: The device that is watched, by its path.
    ///   - opened: The reader of that device, whose events report that it is gone.
    package init(_ found: ReaderCatalog.Found, _ opened: OpenedReader) {
        self.found = found
        events = opened.events
    }

    /// Waits until the reader is unplugged, and sends ``CardCapture/ReaderEvent/disconnected(_:)``
    /// through its events; then waits until it is plugged in again.
    ///
    /// - Parameters:
    ///   - changes: The changes from a started ``DeviceIO/DeviceMonitor``. Devices that are already
    ///     connected come first.
    ///   - isPresent: Whether the monitor has the device. A device can leave between its opening
    ///     and the start of the monitor, which then reports no change. One that udev does not list,
    ///     such as a pseudoterminal, is there as long as its file is.
    ///   - reconnect: Opens the reader that arrived; false continues the wait.
    package func run(
        _ changes: AsyncStream<DeviceMonitor.Change>, isPresent: Bool, reconnect: (ReaderCatalog.Found) async -> Bool
    ) async {
        var isGone = !isPresent && !found.node.exists
        if isGone { events.send(.disconnected(.unplugged)) }
        for await change in changes {
            switch change {
            case .left(let node) where node.path == found.node.path && !isGone:
                isGone = true
                events.send(.disconnected(.unplugged))
            case .arrived(let node) where isGone:
                guard let arrived = sameReader(at: node) else { continue }
                if await reconnect(arrived) { return }
            case .left, .arrived: continue
            }
        }
    }

    /// Without serial numbers, two readers of the same model count as the same reader, and so do
    /// two adapters of the same model before a reader that cannot be identified.
    private func sameReader(at node: DeviceNode) -> ReaderCatalog.Found? {
        guard node.kind == found.node.kind, node.serialNumber == found.node.serialNumber else { return nil }
        guard found.isNamed else { return ReaderCatalog.reader(node).flatMap { $0.model == found.model ? $0 : nil } }
        // A port of the board has no ids.
        let isSame =
            found.node.vendor == 0
            ? node.node == found.node.node : (node.vendor, node.product) == (found.node.vendor, found.node.product)
        return isSame ? ReaderCatalog.Found(node: node, family: found.family, model: found.model, isNamed: true) : nil
    }
}

extension OpenedReader {
    var events: ReaderEvents {
        switch self {
        case .chip(let slot), .chipAndMagstripe(let slot, _): slot.events
        case .magstripe(let slot): slot.events
        case .reader(let reader): reader.events
        }
    }
}
