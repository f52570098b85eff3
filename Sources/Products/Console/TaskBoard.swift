internal import Synchronization

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Numbers of tasks in memory that a ``WorkerPool`` shares with its workers: the next task, and
/// which one each worker is at.
///
/// A worker takes a task by one addition, and wakes nobody.
@safe final class TaskBoard: @unchecked Sendable {
    private let next: UnsafeMutablePointer<Atomic<Int>>
    private let current: UnsafeMutablePointer<Atomic<Int>>
    private let size: Int

    init(workers: Int) throws(InputError) {
        size = (1 + workers) * MemoryLayout<Atomic<Int>>.stride
        let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
            throw InputError("no memory to share with processes: \(SystemError.last)")
        }
        unsafe next = memory.bindMemory(to: Atomic<Int>.self, capacity: 1 + workers)
        unsafe current = next + 1
        for index in 0...workers { unsafe (next + index).initialize(to: Atomic(0)) }
    }

    deinit { unsafe munmap(next, size) }

    /// The next task from 0 on, which `worker` is at from now on. There is no end.
    func take(for worker: Int) -> Int {
        let task = unsafe next.pointee.wrappingAdd(1, ordering: .relaxed).oldValue
        unsafe current[worker].store(task, ordering: .releasing)
        return task
    }

    /// The task that `worker` took last.
    func task(of worker: Int) -> Int { unsafe current[worker].load(ordering: .acquiring) }
}
