/// Lets a few tests run commands at a time, so that each command has its time limit for itself. A
/// slot is a test's and not a command's: one that serves would otherwise keep out the one that its
/// test asks it with.
actor Slots {
    static let shared = Slots()
    private var free = 4
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard free == 0 else { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
        guard !waiting.isEmpty else { return free += 1 }
        waiting.removeFirst().resume()
    }
}
