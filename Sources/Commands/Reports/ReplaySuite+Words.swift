extension ReplaySuite.Case {
    /// The case as strings for a worker's answer, without the file.
    public var words: [String] {
        let (seconds, attoseconds) = elapsed.components
        let head = ["\(seconds)", "\(attoseconds)", title == nil ? "" : "title", title ?? "", proofs?.word ?? ""]
        return switch result {
        case .same: head + ["same"]
        case .notChecked(let why): head + ["not checked", why]
        case .broken(let why): head + ["broken", why]
        case .different(let rows): head + ["different"] + rows.flatMap { [$0.what, $0.logged, $0.replayed] }
        }
    }

    /// Nil if `words` do not have the form of ``words``.
    public init?(file: String, words: [String]) {
        guard words.count >= 6, let seconds = Int64(words[0]), let attoseconds = Int64(words[1]) else { return nil }
        let proofs = words[4].isEmpty ? nil : ReplayProofs(word: words[4])
        guard words[4].isEmpty || proofs != nil else { return nil }
        let rest = words[6...]
        let result: Result
        switch (words[5], rest.count) {
        case ("same", 0): result = .same
        case ("not checked", 1): result = .notChecked(words[6])
        case ("broken", 1): result = .broken(words[6])
        case ("different", let count) where count > 0 && count % 3 == 0:
            result = .different(
                stride(from: 6, to: words.count, by: 3).map {
                    ReplayChangeRow(what: words[$0], logged: words[$0 + 1], replayed: words[$0 + 2])
                })
        default: return nil
        }
        self.init(
            file: file, title: words[2].isEmpty ? nil : words[3], result: result, proofs: proofs,
            elapsed: Duration(secondsComponent: seconds, attosecondsComponent: attoseconds))
    }
}
