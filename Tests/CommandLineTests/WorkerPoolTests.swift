import Console
import Foundation
import Testing

/// ``WorkerPool`` with workers in Python, which share no code with it.
@Suite(.timeLimit(.minutes(1))) struct WorkerPoolTests {
    private static let worker = """
        import os, signal, sys
        rest = b""
        while True:
            while b"\\0" not in rest:
                piece = os.read(3, 4096)
                if not piece: sys.exit(0)
                rest += piece
            task, rest = rest.split(b"\\0", 1)
            if task == b"crash": os.kill(os.getpid(), signal.SIGSEGV)
            if task == b"slow": signal.alarm(1); signal.pause()
            if task == b"leave": os._exit(7)
            if task == b"nonsense": os.write(4, b"nonsense:"); signal.pause()
            answer = b"2:%d:%s3:a:b" % (len(task), task)
            for at in range(len(answer)): os.write(4, answer[at:at + 1])
        """

    /// Says which tasks it begins, and keeps its answers until no more tasks wait.
    private static let keepingWorker = """
        import os, signal, sys
        rest = b""
        kept = b""
        while True:
            while b"\\0" not in rest:
                if kept: os.write(4, kept)
                kept = b""
                piece = os.read(3, 4096)
                if not piece: sys.exit(0)
                rest += piece
            task, rest = rest.split(b"\\0", 1)
            os.write(5, b"x")
            if task == b"crash": os.kill(os.getpid(), signal.SIGSEGV)
            if task == b"slow": signal.alarm(1); signal.pause()
            if task == b"leave": os._exit(7)
            kept += b"2:%d:%s3:a:b" % (len(task), task)
        """

    private func answers(_ tasks: [String], workers: Int, program: String = worker) throws -> [WorkerPool.Answer?] {
        let pool = WorkerPool(executable: "/usr/bin/python3", arguments: ["-c", program], count: workers)
        var answers = [WorkerPool.Answer?](repeating: nil, count: tasks.count)
        try pool.run(tasks) { place, answer in
            #expect(answers[place] == nil, "each has one answer")
            answers[place] = answer
        }
        return answers
    }

    @Test(arguments: [1, 2, 5]) func everyTaskHasItsAnswer(_ workers: Int) throws {
        let tasks = (0..<40).map { "task \($0) é\n" }
        #expect(try answers(tasks, workers: workers) == tasks.map { .done([$0, "a:b"]) })
        #expect(try answers([], workers: workers).isEmpty)
    }

    @Test(arguments: [1, 3]) func aWorkerThatGoesCostsOneTask(_ workers: Int) throws {
        let tasks = ["a", "crash", "b", "leave", "crash", "c", "nonsense", "d", "slow", "e", "crash"]
        let wanted: [WorkerPool.Answer] = tasks.map { task in
            switch task {
            case "crash": .crashed(signal: SIGSEGV)
            case "leave": .ended(status: 7)
            case "nonsense": .crashed(signal: SIGKILL)
            case "slow": .timedOut
            default: .done([task, "a:b"])
            }
        }
        #expect(try answers(tasks, workers: workers) == wanted)
    }

    /// What was answered and not yet sent is asked for again, and the loss is that of the task begun last.
    @Test(arguments: [1, 3]) func aWorkerThatGoesWithItsAnswersCostsOneTask(_ workers: Int) throws {
        let kinds = ["crash", "leave", "slow"]
        let tasks = (0..<60).map { (index: Int) -> String in index % 7 == 5 ? kinds[index / 7 % 3] : "task \(index)" }
        let wanted: [WorkerPool.Answer] = tasks.map { task in
            switch task {
            case "crash": .crashed(signal: SIGSEGV)
            case "leave": .ended(status: 7)
            case "slow": .timedOut
            default: .done([task, "a:b"])
            }
        }
        #expect(try answers(tasks, workers: workers, program: Self.keepingWorker) == wanted)
    }

    @Test func aWorkerThatCannotBeStarted() {
        let pool = WorkerPool(executable: "/nonexistent", arguments: [], count: 1)
        #expect(throws: InputError.self) { try pool.run(["a"]) { _, _ in Issue.record("nobody answered") } }
    }
}
