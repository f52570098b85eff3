extension Int64 {
    /// The sum; the greatest or the least number in place of one beyond it.
    package func saturatingAdding(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other > 0 ? .max : .min) : sum
    }

    /// The difference; the greatest or the least number in place of one beyond it.
    package func saturatingSubtracting(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other > 0 ? .min : .max) : difference
    }
}
