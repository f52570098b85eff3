extension ReplaySuite.Case {
    /// The case as strings for a worker's answer, without the file.
    public var fields: [String] {
        let (seconds, attoseconds) = elapsed.components
        let head = ["\(seconds)", "\(attoseconds)", title == nil ? "" : "title", title ?? "", proofs?.word ?? ""]
        return switch result {
        case .same: head + ["same"]
        case .notChecked(let why): head + ["not checked", why]
        case .broken(let why): head + ["broken", why]
        case .different(let rows): head + ["different"] + rows.flatMap { [$0.what, $0.logged, $0.replayed] }
        }
    }

    /// Nil if `fields` do not have the form of ``fields``.
    public init?(file: String, fields: [String]) {
        guard fields.count >= 6, let seconds = Int64(fields[0]), let attoseconds = Int64(fields[1]) else { return nil }
        let proofs = fields[4].isEmpty ? nil : ReplayProofs(word: fields[4])
        guard fields[4].isEmpty || proofs != nil else { return nil }
        let rest = fields[6...]
        let result: Result
        switch (fields[5], rest.count) {
        case ("same", 0): result = .same
        case ("not checked", 1): result = .notChecked(fields[6])
        case ("broken", 1): result = .broken(fields[6])
        case ("different", let count) where count > 0 && count % 3 == 0:
            result = .different(
                stride(from: 6, to: fields.count, by: 3).map {
                    ReplayChangeRow(what: fields[$0], logged: fields[$0 + 1], replayed: fields[$0 + 2])
                })
        default: return nil
        }
        self.init(
            file: file, title: fields[2].isEmpty ? nil : fields[3], result: result, proofs: proofs,
            elapsed: Duration(secondsComponent: seconds, attosecondsComponent: attoseconds))
    }
}
