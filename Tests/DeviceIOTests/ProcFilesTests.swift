import Glibc
import Testing

@testable import DeviceIO

@Suite struct ProcFilesTests {
    @Test("the name of an entry is read no further than it goes: behind it there may be no memory")
    func nameAtTheEndOfAPage() throws {
        let page = Int(getpagesize())
        let mapped = unsafe mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let memory = try unsafe #require(mapped)
        defer { unsafe munmap(memory, 2 * page) }
        #expect(unsafe mprotect(memory + page, page, PROT_NONE) == 0)
        let name = Array("1359".utf8) + [0]
        let start = try #require(MemoryLayout<dirent>.offset(of: \.d_name))
        let entry = unsafe memory + page - start - name.count
        unsafe (entry + start).copyMemory(from: name, byteCount: name.count)
        #expect(unsafe ProcFiles.name(of: entry.assumingMemoryBound(to: dirent.self)) == "1359")
    }

    @Test func thisProcessIsAmongThem() { #expect(ProcFiles.processes.contains("\(getpid())")) }
}
