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
        defer { for suffix in ["", "-wal"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        for suffix in ["", "-wal"] {
            let file = unsafe open(path + suffix, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(file) }
            let bytes = [UInt8](repeating: 1, count: 200_000)
            let written = unsafe write(file, bytes, bytes.count)
            try #require(written == bytes.count)
        }
        // SQLite's shared lock, which a connection keeps as long as it has a log open. A lock of
        // the open file, because one of the process would not exclude the process.
        let other = unsafe open(path, O_RDWR | O_CLOEXEC)
        var shared = flock()
        shared.l_type = Int16(truncatingIfNeeded: F_RDLCK)
        shared.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
        shared.l_start = 0x4000_0002
        shared.l_len = 510
        // Swift does not import it.
        let setLockOfOpenFile: CInt = 37  // F_OFD_SETLK
        let locked = unsafe fcntl(other, setLockOfOpenFile, &shared)
        try #require(locked == 0)

        SystemFiles().readFromDisk(path)
        #expect(try Self.residentPages("\(path)-wal") > 40)

        shared.l_type = Int16(truncatingIfNeeded: F_UNLCK)
        let unlocked = unsafe fcntl(other, setLockOfOpenFile, &shared)
        close(other)
        try #require(unlocked == 0)
        SystemFiles().readFromDisk(path)
        #expect(try Self.residentPages("\(path)-wal") == 0)
        #expect(try Self.residentPages(path) == 0)
    }
}
