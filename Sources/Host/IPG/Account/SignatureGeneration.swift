/// Which of the gateway's three sets of rules an account has: what is signed and how, and what
/// follows from the answer to a notification. They must not be mixed.
public enum SignatureGeneration: String, Sendable, Hashable, CaseIterable {
    /// API up to 3.x (documented as 3.4): SHA-1 over the URL-encoded values.
    case urlEncoded
    /// API 4.1 to 4.3: SHA-256 over the base64 of the values.
    case concatenated
    /// API 4.5: SHA-256 over `key:value` pairs, sorted.
    case sorted

    /// The generation of an API version (`IPGVersion`); nil for a version whose rules are not known.
    ///
    /// A document of 4.5 shows the rule of 4.1: an account whose gateway keeps to that one says so
    /// by its own generation.
    public init?(version: String) {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
        switch (major, minor) {
        case (1...3, _): self = .urlEncoded
        case (4, 1...3): self = .concatenated
        case (4, 5): self = .sorted
        default: return nil
        }
    }
}
