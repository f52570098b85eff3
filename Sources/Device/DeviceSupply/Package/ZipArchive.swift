private import CLibZip

/// The files of a zip archive in memory, through libzip. Everything in an archive is bounded: how
/// many files, how large each and all together, and how much larger than they are packed.
struct ZipArchive: Equatable {
    struct Entry: Equatable {
        let name: String
        let bytes: [UInt8]
    }

    typealias Fault = PackageError.ArchiveFault

    static let maximumCount = 256
    /// In bytes, of one file and of all.
    static let maximumSize = 32 << 20
    /// Between the length of a file and its packed length. Deflate itself ends at 1032.
    static let maximumRatio: UInt64 = 200
    private static let longestName = 100

    let entries: [Entry]

    /// - Parameter bytes: The whole archive.
    init(parsing bytes: [UInt8]) throws(Fault) {
        // To libzip, nothing is an archive without files.
        guard !bytes.isEmpty else { throw .notAnArchive }
        entries = unsafe try Self.withArchive(bytes) { archive throws(Fault) in
            let count = unsafe zip_get_num_entries(archive, 0)
            guard (0...Int64(Self.maximumCount)).contains(count) else { throw .tooManyFiles }
            var entries: [Entry] = []
            var room = UInt64(clamping: Self.maximumSize)
            // fits: checked above
            for index in 0..<UInt64(count) {
                let entry = unsafe try Self.entry(index, of: archive, room: room)
                guard !entries.contains(where: { $0.name == entry.name }) else { throw .doubledName(entry.name) }
                // fits: not more than there was room for
                room -= UInt64(entry.bytes.count)
                entries.append(entry)
            }
            return entries
        }
    }

    init(_ entries: [Entry]) { self.entries = entries }

    /// Whether it is a path below a folder, in printable ASCII, without anything that leads out of
    /// it.
    static func isValidName(_ name: some StringProtocol) -> Bool {
        guard (1...longestName).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
            !["", ".", ".."].contains($0)
        }
    }

    // MARK: Reading

    private static func withArchive<Result>(
        _ bytes: [UInt8], _ body: (OpaquePointer) throws(Fault) -> Result
    ) throws(Fault) -> Result {
        let outcome: Swift.Result<Result, Fault> = unsafe bytes.withUnsafeBytes { buffer in
            guard
                let source = unsafe zip_source_buffer_create(buffer.baseAddress, UInt64(clamping: buffer.count), 0, nil)
            else {
                return .failure(.notAnArchive)
            }
            guard let archive = unsafe zip_open_from_source(source, ZIP_RDONLY, nil) else {
                unsafe zip_source_free(source)
                return .failure(.notAnArchive)
            }
            defer { unsafe zip_discard(archive) }
            do throws(Fault) { return .success(unsafe try body(archive)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    private static func entry(_ index: UInt64, of archive: OpaquePointer, room: UInt64) throws(Fault) -> Entry {
        var status = unsafe zip_stat_t()
        let needed = UInt64(
            ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD)
        let number = Int(clamping: index) + 1
        guard unsafe zip_stat_index(archive, index, UInt32(ZIP_FL_ENC_RAW), &status) == 0,
            unsafe status.valid & needed == needed,
            let text = unsafe status.name, let name = unsafe String(validatingCString: text), isValidName(name)
        else { throw .invalidName(number) }
        let (size, packed) = unsafe (status.size, status.comp_size)
        guard unsafe status.encryption_method == UInt16(clamping: ZIP_EM_NONE),
            unsafe [UInt16(clamping: ZIP_CM_STORE), UInt16(clamping: ZIP_CM_DEFLATE)].contains(status.comp_method)
        else { throw .notSupported(name) }
        guard size <= maximumSize else { throw .tooLarge(name) }
        guard size <= room else { throw .allTooLarge }
        // A few bytes may be any ratio.
        guard size < 4096 || packed >= size / maximumRatio else { throw .suspicious(name) }
        // fits: not above maximumSize
        return Entry(name: name, bytes: unsafe try contents(index, of: archive, count: Int(size), name))
    }

    private static func contents(
        _ index: UInt64, of archive: OpaquePointer, count: Int, _ name: String
    ) throws(Fault) -> [UInt8] {
        guard let file = unsafe zip_fopen_index(archive, index, 0) else { throw .damaged(name) }
        defer { unsafe zip_fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // The last read, which finds the end, checks the CRC-32.
        while true {
            let got = unsafe zip_fread(file, &piece, UInt64(clamping: piece.count))
            guard got >= 0, bytes.count + Int(got) <= count else { throw .damaged(name) }
            guard got > 0 else { break }
            bytes += piece.prefix(Int(got))
        }
        guard bytes.count == count else { throw .damaged(name) }
        return bytes
    }

    // MARK: Writing

    /// The archive of these entries; the same bytes for the same entries.
    func bytes() throws(Fault) -> [UInt8] {
        guard let target = unsafe zip_source_buffer_create(nil, 0, 0, nil) else { throw .notWritten }
        defer { unsafe zip_source_free(target) }
        unsafe zip_source_keep(target)
        guard let archive = unsafe zip_open_from_source(target, ZIP_TRUNCATE, nil) else {
            unsafe zip_source_free(target)
            throw .notWritten
        }
        // libzip copies nothing: the contents must stay where they are until the archive is closed.
        let copies = unsafe entries.map { entry in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: entry.bytes.count, alignment: 1)
            unsafe copy.copyBytes(from: entry.bytes)
            return unsafe copy
        }
        defer { unsafe copies.forEach { unsafe $0.deallocate() } }
        for index in entries.indices {
            guard unsafe add(entries[index].name, copies[index], to: archive) else {
                unsafe zip_discard(archive)
                throw .notWritten
            }
        }
        guard unsafe zip_close(archive) == 0 else {
            unsafe zip_discard(archive)
            throw .notWritten
        }
        return unsafe try Self.written(target)
    }

    private func add(_ name: String, _ copy: UnsafeMutableRawBufferPointer, to archive: OpaquePointer) -> Bool {
        guard let source = unsafe zip_source_buffer(archive, copy.baseAddress, UInt64(clamping: copy.count), 0) else {
            return false
        }
        let index = unsafe zip_file_add(archive, name, source, UInt32(ZIP_FL_ENC_UTF_8))
        guard let index = UInt64(exactly: index) else {
            unsafe zip_source_free(source)
            return false
        }
        // 1980-01-01, the first date of the format: an archive does not tell when it was made.
        return unsafe zip_file_set_dostime(archive, index, 0, 0x21, 0) == 0
    }

    private static func written(_ target: OpaquePointer) throws(Fault) -> [UInt8] {
        var status = unsafe zip_stat_t()
        guard unsafe zip_source_stat(target, &status) == 0, let count = unsafe Int(exactly: status.size),
            unsafe zip_source_open(target) == 0
        else { throw .notWritten }
        defer { unsafe zip_source_close(target) }
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe zip_source_read(target, &bytes, UInt64(clamping: count)) == Int64(count) else { throw .notWritten }
        return bytes
    }
}
