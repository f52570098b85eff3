/// An error in the terms of one family of readers, such as a device's or a protocol's.
public protocol DriverError: Error, Hashable, CustomStringConvertible {}

/// Why a driver failed. ``cause`` is the error of the reader's family.
public struct DriverFailure: Sendable {
    public let cause: any DriverError

    public init(_ cause: some DriverError) { self.cause = cause }
}

extension DriverFailure: Hashable {
    public static func == (one: Self, other: Self) -> Bool { AnyHashable(one.cause) == AnyHashable(other.cause) }
    public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(cause)) }
}

extension DriverFailure: CustomStringConvertible {
    public var description: String { cause.description }
}
