public import CardCapture
import DeviceIO

/// Tables of an acquirer for the PIN pad's own kernel: its applications and the keys of
/// certification authorities (ABECS 2.12, commands TLI, TLR, TLE).
///
/// Our kernel does not use them; they are for programs that share the PIN pad with it.
public struct ABECSTables: Sendable {
    /// 1 to 99, or 0 for all acquirers.
    public let acquirer: Int
    /// Ten characters.
    public let version: String
    /// Each begins with its own length in three digits.
    public let records: [String]

    /// - Returns: Nil if acquirer or version are out of range, if the length of a record is wrong,
    ///   or if a record does not fit into a command.
    public init?(acquirer: Int, version: String, records: [String]) {
        guard (0...99).contains(acquirer), version.utf8.count == 10,
            version.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            return nil
        }
        for record in records {
            guard record.utf8.count <= ABECSCommand.longestBlock - 2, Int(record.prefix(3)) == record.utf8.count,
                record.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { return nil }
        }
        self.acquirer = acquirer
        self.version = version
        self.records = records
    }

    var begin: ABECSCommand { ABECSCommand("TLI", blocks: [decimal(acquirer, 2) + Array(version.utf8)]) }

    /// The records in as few commands as possible, each with the number of records sent once it is
    /// complete.
    var parts: [(command: ABECSCommand, sent: Int)] {
        var parts: [(ABECSCommand, Int)] = []
        var (block, count): ([UInt8], Int) = ([], 0)
        func part(_ sent: Int) -> (ABECSCommand, Int) {
            (ABECSCommand("TLR", blocks: [decimal(count, 2) + block]), sent)
        }
        for (index, record) in records.enumerated() {
            if count == 99 || block.count + record.utf8.count > ABECSCommand.longestBlock - 2 {
                parts.append(part(index))
                (block, count) = ([], 0)
            }
            block += Array(record.utf8)
            count += 1
        }
        if count > 0 { parts.append(part(records.count)) }
        return parts
    }

    static let end = ABECSCommand("TLE")
}

extension ABECSReader {
    /// Replaces the acquirer's tables in the PIN pad by `tables`. Reports progress by
    /// ``ReaderEvent/progress(_:_:)``.
    ///
    /// If loading is cancelled or fails, the PIN pad may have no tables of the acquirer: load them
    /// again.
    public nonisolated func load(_ tables: ABECSTables) async throws(CaptureError) { try await load(tables) { _ in } }

    /// The same, and reports the progress, from 0 to 1, within the call.
    package nonisolated func load(_ tables: ABECSTables, progress: @Sendable (Double) -> Void)
        async throws(CaptureError)
    {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.load(tables, progress, cancellation)
        }
    }

    private func load(_ tables: ABECSTables, _ progress: @Sendable (Double) -> Void, _ cancellation: Cancellation)
        throws(CaptureError)
    {
        func report(_ part: Double) {
            events.send(.progress(.configuration, part))
            progress(part)
        }
        _ = try succeeding(tables.begin, cancellation)
        report(0)
        for part in tables.parts {
            _ = try succeeding(part.command, cancellation)
            report(Double(part.sent) / Double(tables.records.count + 1))
        }
        _ = try succeeding(ABECSTables.end, cancellation)
        report(1)
    }
}
