import ArgumentParser

/// A PN532 that is the card: `pn532:/dev/NODE`, as `--reader` names it, or the device file alone.
struct TargetPlace: ExpressibleByArgument, Sendable, Equatable {
    let path: String

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        let isNamed = parts.count == 2 && parts[0].lowercased() == "pn532"
        let path = isNamed ? String(parts[1]) : argument
        guard path.hasPrefix("/") else { return nil }
        self.path = path
    }
}
