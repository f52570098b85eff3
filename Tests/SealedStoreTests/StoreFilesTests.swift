import Foundation
import Testing

@testable import SealedStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the system keeps of a database in memory.
@Suite struct StoreFilesTests {
    private static let folder = NSTemporaryDirectory()

    /// A program of somebody else that has a database with a log open, until it is ended.
    private static let other = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE note (text BLOB)")
        database.execute("INSERT INTO note VALUES (zeroblob(200000))")
        database.commit()
        print(database.execute("SELECT count(*) FROM note").fetchall(), flush=True)
        sys.stdin.read()
        """

    /// The resident pages of a file: mincore(2).
    private static func residentPages(_ path: String) throws -> Int {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        var pages = [UInt8](repeating: 0, count: (size + pageSize - 1) / pageSize)
        guard let memory = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, file, 0), unsafe memory != MAP_FAILED else {
            throw POSIXError(.EIO)
        }
        defer { unsafe munmap(memory, size) }
        let status = unsafe mincore(memory, size, &pages)
        try #require(status == 0)
        return pages.count { $0 & 1 == 1 }
    }

    /// Not so where the file system has its files in memory only.
    private static let canDropMemory: Bool = {
        let path = folder + "memory-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        let bytes = [UInt8](repeating: 1, count: 65536)
        guard unsafe write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else { return false }
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        return (try? residentPages(path)) == 0
    }()

    @Test(
        "A log that a dead process left is read from the disk; while another program has the file open, it is left alone",
        .enabled(if: canDropMemory, "the file system has its files in memory only"))
    func readFromDisk() throws {
        let path = Self.folder + "read-\(UUID().uuidString).sqlite"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = ["python3", "-c", Self.other, path]
        let (input, output) = (Pipe(), Pipe())
        (program.standardInput, program.standardOutput) = (input, output)
        try program.run()
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(said.hasPrefix("[(1,)]"))

        SystemFiles().readFromDisk(path)
        #expect(try Self.residentPages("\(path)-wal") > 40)

        kill(program.processIdentifier, SIGKILL)
        program.waitUntilExit()
        SystemFiles().readFromDisk(path)
        #expect(try Self.residentPages("\(path)-wal") == 0)
        #expect(try Self.residentPages(path) == 0)
    }
}
