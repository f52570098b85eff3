public import EMVReplay
import SmartCard
private import TLV

/// Counts of the checks of a log with the available keys.
public struct ReplayProofs: Sendable, Equatable, Encodable {
    public struct Count: Sendable, Equatable, Encodable {
        public var proved = 0
        public var disproved = 0
        public var notChecked = 0

        fileprivate var summary: String { "\(proved) proved, \(disproved) disproved, \(notChecked) not checked" }
        fileprivate var isEmpty: Bool { proved + disproved + notChecked == 0 }

        fileprivate static func += (left: inout Count, right: Count) {
            left.proved += right.proved
            left.disproved += right.disproved
            left.notChecked += right.notChecked
        }
    }

    /// Certificates and signatures of offline data authentication.
    public var certificates = Count()
    public var cryptograms = Count()
    /// The issuer's answers to them.
    public var answers = Count()
    /// Failed and missing checks with their reasons, one line each.
    public var remarks: [String] = []

    public init() {}

    public init(_ evidence: [Evidence]) {
        for entry in evidence {
            var count = Count()
            switch entry.result {
            case .verified: count.proved = 1
            case .failed: count.disproved = 1
            case .notChecked: count.notChecked = 1
            }
            switch entry.kind {
            case .dataAuthentication: certificates += count
            case .cryptogram: cryptograms += count
            case .issuerAnswer: answers += count
            }
            if !entry.isVerified {
                remarks.append(
                    Masking.text("\(entry.subject)\(entry.isDisproved ? "" : " not checked"): \(entry.detail)"))
            }
        }
    }

    public var disproved: Int { counts.reduce(0) { $0 + $1.1.disproved } }
    public var notChecked: Int { counts.reduce(0) { $0 + $1.1.notChecked } }

    private var counts: [(String, Count)] {
        [("certificates and signatures", certificates), ("cryptograms", cryptograms), ("ARPC", answers)]
    }

    /// "certificates and signatures: 3 proved, 0 disproved, 0 not checked; …", without the kinds
    /// that the log does not have.
    public var summary: String {
        let parts = counts.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.summary)" }
        return parts.isEmpty ? "nothing to prove" : parts.joined(separator: "; ")
    }

    static func += (left: inout ReplayProofs, right: ReplayProofs) {
        left.certificates += right.certificates
        left.cryptograms += right.cryptograms
        left.answers += right.answers
    }

    // MARK: In a worker's answer

    /// The value as one string.
    var word: String {
        ([certificates, cryptograms, answers].map { "\($0.proved) \($0.disproved) \($0.notChecked)" } + remarks).joined(
            separator: "\n")
    }

    /// Nil if the string does not have the form of ``word``.
    init?(word: String) {
        let lines = word.split(separator: "\n", omittingEmptySubsequences: false)
        let counts = lines.prefix(3).compactMap { line -> Count? in
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            return numbers.count == 3 ? Count(proved: numbers[0], disproved: numbers[1], notChecked: numbers[2]) : nil
        }
        guard counts.count == 3 else { return nil }
        (certificates, cryptograms, answers) = (counts[0], counts[1], counts[2])
        remarks = lines.dropFirst(3).map(String.init)
    }
}
