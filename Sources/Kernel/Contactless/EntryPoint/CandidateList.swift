/// The applications that card and reader have in common, and the selection among them (EMV
/// Contactless Book B, 3.3.2.6 and 3.3.3).
struct CandidateList {
    struct Candidate: Equatable {
        let entry: Directory.Entry
        /// An index of the reader's combinations.
        let combination: Int
    }

    private(set) var candidates: [Candidate] = []

    init() {}

    /// - Parameter allowed: The combinations that pre-processing allows, by their index.
    init(_ directory: Directory, allowed: [(index: Int, combination: Combination)]) {
        candidates = directory.entries.flatMap { entry in
            allowed.filter { Self.agree(entry, $0.combination) }.map { Candidate(entry: entry, combination: $0.index) }
        }
    }

    private static func agree(_ entry: Directory.Entry, _ combination: Combination) -> Bool {
        guard combination.matches(entry.adfName) else { return false }
        return switch entry.kernel {
        case .any: true
        case .kernel(let kernel): kernel == combination.kernel.identifier
        }
    }

    /// The candidate with the highest priority; of several, the first in the card's directory
    /// (3.3.3.3).
    var best: Candidate? { candidates.min { Self.rank($0) < Self.rank($1) } }

    private static func rank(_ candidate: Candidate) -> UInt8 { candidate.entry.priority ?? .max }

    mutating func remove(_ candidate: Candidate) {
        if let index = candidates.firstIndex(of: candidate) { candidates.remove(at: index) }
    }
}
