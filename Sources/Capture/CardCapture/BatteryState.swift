/// The battery of a reader, as the reader reports it.
public enum BatteryState: Sendable, Equatable {
    /// The reader runs on its battery; `percent` from 0 to 100.
    case discharging(percent: Int)
    /// The reader is connected to power, and charges or is full; `percent` from 0 to 100.
    case charging(percent: Int)
    /// The reader did not answer, it reported no charge from 0 to 100, or its charger has a fault.
    case unknown

    /// From 0 to 100; nil if unknown.
    public var percent: Int? {
        switch self {
        case .discharging(let percent), .charging(let percent): percent
        case .unknown: nil
        }
    }

    /// Whether the reader may switch off in the middle of a payment.
    ///
    /// - Parameter minimum: The minimum charge for starting a payment, in percent.
    public func isLow(minimum: Int) -> Bool {
        if case .discharging(let percent) = self { percent < minimum } else { false }
    }
}

extension BatteryState: CustomStringConvertible {
    public var description: String {
        switch self {
        case .discharging(let percent): "battery at \(percent) %"
        case .charging(let percent): "battery at \(percent) %, on power"
        case .unknown: "battery unknown"
        }
    }
}
