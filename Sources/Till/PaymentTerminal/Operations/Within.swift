private import Synchronization

/// The result of `operation`, or `timeout` once `limit` has passed.
///
/// What does not end when it is cancelled is left behind: it never holds the caller up. If the
/// caller's task is cancelled the operation is too, and gets `grace` to end.
///
/// - Parameter isAwaited: Whether this waits up to `grace` for the operation to end after the
///   limit, too. What the operation holds, such as a device, is then free when this returns, unless
///   it takes longer.
package func within<Success: Sendable, Failure: Error>(
    _ limit: Duration, grace: Duration, isAwaited: Bool = false, orElse timeout: Failure,
    _ operation: @escaping @Sendable () async throws(Failure) -> Success
) async throws(Failure) -> Success {
    let race = Race<Result<Success, Failure>>()
    let work = Task.detached {
        do throws(Failure) {
            race.finish(.success(try await operation()))
        } catch {
            race.finish(.failure(error))
        }
    }
    let timer = Task.detached {
        try? await Task.sleep(for: limit)
        race.finish(.failure(timeout))
    }
    let result = await withTaskCancellationHandler {
        await race.winner()
    } onCancel: {
        work.cancel()
        Task.detached {
            try? await Task.sleep(for: grace)
            race.finish(.failure(timeout))
        }
    }
    timer.cancel()
    work.cancel()
    if isAwaited {
        let end = Race<Void>()
        Task.detached {
            await work.value
            end.finish(())
        }
        let patience = Task.detached {
            try? await Task.sleep(for: grace)
            end.finish(())
        }
        await end.winner()
        patience.cancel()
    }
    return try result.get()
}

/// The first of several results.
final class Race<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, Never>?)
        case won(Value)
    }

    private let state = Mutex(State.open(nil))

    /// Sets the result if it is the first.
    ///
    /// - Returns: Whether it was.
    @discardableResult
    func finish(_ value: Value) -> Bool {
        let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            guard case .open(let continuation) = state else { return (false, nil) }
            state = .won(value)
            return (true, continuation)
        }
        waiting?.resume(returning: value)
        return isFirst
    }

    /// Waits for the first result. Call it once.
    func winner() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                switch state {
                case .won(let value): return value
                case .open:
                    state = .open(continuation)
                    return nil
                }
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
