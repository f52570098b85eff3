/// `1 record`, `2 records`.
///
/// - Parameters:
///   - noun: The singular.
///   - plural: Nil for the noun with an s.
package func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
