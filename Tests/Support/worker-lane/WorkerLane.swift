import Console

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A ``WorkerPool`` whose workers are lost in every way: `worker-lane WORKERS TASK …`. Prints a
/// line for each answer.
@main struct WorkerLane {
    static func main() throws {
        let tasks = Array(CommandLine.arguments.dropFirst(2))
        let pool = WorkerPool(count: Int(CommandLine.arguments[1]) ?? 1, timeLimit: .seconds(1))
        try pool.run(tasks.count) { task in
            lose(tasks[task])
            return [tasks[task], "a:b"]
        } receive: { task, answer in
            print(task, answer)
        }
    }

    private static func lose(_ task: String) {
        switch task {
        case "crash": raise(SIGSEGV)
        case "leave": _exit(7)
        case "slow": pause()
        case "nonsense":
            // Only its way to the other process is a pipe.
            for descriptor in Int32(3)..<64 where isPipe(descriptor) { _ = unsafe write(descriptor, "nonsense", 8) }
            pause()
        default: break
        }
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}
