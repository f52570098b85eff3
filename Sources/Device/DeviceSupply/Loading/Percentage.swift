private import Synchronization

/// Progress in whole percents that only grows.
final class Percentage: Sendable {
    private let last = Mutex(-1)
    private let report: @Sendable (Int) -> Void

    init(_ report: @escaping @Sendable (Int) -> Void) { self.report = report }

    func report(_ percent: Int) {
        last.withLock { last in
            guard percent > last else { return }
            last = percent
            report(percent)
        }
    }
}
