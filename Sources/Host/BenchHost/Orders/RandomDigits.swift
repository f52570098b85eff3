/// `count` decimal digits, up to 18, that cannot be predicted: the host's references and approval
/// codes.
func randomDigits(_ count: Int) -> String {
    // ordered: the callers ask for six and ten digits
    let all = (0..<count).reduce(UInt64(1)) { power, _ in power * 10 }
    // The leading 1 preserves leading zeros.
    // ordered: a power of ten
    return String(String(all + UInt64.random(in: 0..<all)).dropFirst())
}
