/// A whole number of minor units, shared without a rest.
enum Apportionment {
    /// `amount` in parts in proportion to `weights`, by the largest remainder; the earlier one at a
    /// tie. The parts are `amount` together, and none exceeds its weight if `amount` does not exceed
    /// their sum.
    ///
    /// - Parameters:
    ///   - amount: Not negative.
    ///   - weights: Not negative; their sum fits in `Int64`.
    /// - Throws: ``BasketError/discountAboveItems`` if `amount` exceeds the sum of the weights.
    static func share(_ amount: Int64, over weights: [Int64]) throws(BasketError) -> [Int64] {
        guard amount > 0 else { return weights.map { _ in 0 } }
        let sum = Int128(weights.reduce(0, +))
        guard Int128(amount) <= sum else { throw .discountAboveItems }
        let products = weights.map { Int128($0) * Int128(amount) }
        // fits: at most the amount
        var parts = products.map { Int64(clamping: $0 / sum) }
        let order = products.indices.sorted { left, right in
            let (first, second) = (products[left] % sum, products[right] % sum)
            return first == second ? left < right : first > second
        }
        let rest = amount - parts.reduce(0, +)
        for index in order.prefix(Int(rest)) { parts[index] += 1 }
        return parts
    }
}
