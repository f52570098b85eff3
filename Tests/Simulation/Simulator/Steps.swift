internal import Bytes
internal import CSimulation

/// How a run goes on, step by step.
extension Scenario {
    /// Lets the world go on until `isOver`, or until nothing more can happen.
    func go(until horizon: Int64 = .max, _ isOver: () -> Bool) -> End {
        let first = world.loop.steps
        while true {
            if simulation_disk_has_no_power() {
                kill(powerIsLost: true)
                return .died
            }
            if world.isDoomed {
                world.isDoomed = false
                kill(powerIsLost: false)
                return .died
            }
            if !world.isUp { return .died }
            if isOver() { return .done }
            guard world.loop.steps - first < Self.maximumSteps, world.loop.step(until: horizon) else { return .stuck }
            world.trace.step()
        }
    }

    /// Runs `body` in the process.
    ///
    /// - Returns: Nil if the process died, or did not come to an end.
    func call<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
        let box = Box<Value>()
        Task.detached { box.value = await body() }
        return go(until: world.now + 3600 * Self.second) { box.value != nil } == .done ? box.value : nil
    }

    final class Box<Value>: @unchecked Sendable {
        var value: Value?
    }

    func pass(_ time: Int64) -> End {
        let end = world.now + time
        var reached = false
        world.loop.after(time, "pause ends") { reached = true }
        return go(until: end + Self.second) { reached }
    }

    func kill(powerIsLost: Bool) {
        closeFile()
        world.kill(powerIsLost: powerIsLost)
        life = nil
    }
}
