private import Bytes
private import FoundationEssentials
internal import JSONDocument

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The folder with the state of every reader that was supplied from this machine: one file for
/// each, by maker and serial number, which only its owner can read.
///
/// A file is replaced as a whole: after a loss of power it is the old or the new one.
public struct SupplyFolder: Sendable {
    /// A state is far smaller.
    private static let maximumSize = 64 << 10
    private static let suffix = ".json"

    /// The folder's path.
    public let path: String

    /// - Parameter path: Created when the first state is kept, with mode 0700.
    public init(path: String) { self.path = path }

    /// The states of all readers, in the order of their files' names; none if there is no folder.
    public func states() throws(SupplyError) -> [SupplyState] {
        guard try checkFolder() else { return [] }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [] }
        var states: [SupplyState] = []
        for name in names.sorted() where name.hasSuffix(Self.suffix) {
            if let state = try read("\(path)/\(name)") { states.append(state) }
        }
        return states
    }

    /// The state of a reader; nil if there is none.
    ///
    /// - Parameters:
    ///   - maker: As the reader reports it; empty if it does not.
    ///   - serialNumber: As the reader reports it.
    public func state(maker: String, serialNumber: String) throws(SupplyError) -> SupplyState? {
        try checkFolder() ? read(file(maker, serialNumber)) : nil
    }

    /// Forgets a reader, for example one that its maker has reset: it counts as never configured.
    ///
    /// - Returns: Whether there was a state.
    @discardableResult
    public func forget(_ state: SupplyState) throws(SupplyError) -> Bool {
        let file = file(state.maker, state.serialNumber)
        if unsafe unlink(file) == 0 { return true }
        guard errno == ENOENT else { throw Self.failure(file) }
        return false
    }

    /// Keeps `state`. When this returns, the state is on the disk.
    func keep(_ state: SupplyState) throws(SupplyError) {
        try makeFolder()
        let file = file(state.maker, state.serialNumber)
        let new = "\(file).new"
        // What a loss of power left.
        unsafe unlink(new)
        do throws(SupplyError) {
            try Self.write(Array(state.json.utf8), to: new)
            guard unsafe rename(new, file) == 0 else { throw Self.failure(file) }
        } catch {
            unsafe unlink(new)
            throw error
        }
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Claims a reader for this process, until the claim is gone.
    ///
    /// - Throws: ``SupplyError/inUse`` if another process loads into it.
    func claim(maker: String, serialNumber: String) throws(SupplyError) -> SupplyClaim {
        try makeFolder()
        let file = file(maker, serialNumber) + ".lock"
        let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(file) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse
        }
        return SupplyClaim(descriptor)
    }

    // MARK: Files

    /// Letters, digits and `_` are written as they are, other bytes as `%` and two digits.
    private func file(_ maker: String, _ serialNumber: String) -> String {
        func written(_ text: String) -> String {
            text.utf8.map { byte in
                let character = Character(Unicode.Scalar(byte))
                if character.isASCII, character.isLetter || character.isNumber || character == "_" {
                    return String(character)
                }
                return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
        }
        return "\(path)/\(written(maker))-\(written(serialNumber))\(Self.suffix)"
    }

    private func makeFolder() throws(SupplyError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .state(path, "it cannot be created: check the path and its permissions")
        }
        try checkFolder()
    }

    /// Whether there is a folder. What others can write is not believed: it says what a reader has.
    @discardableResult
    private func checkFolder() throws(SupplyError) -> Bool {
        do throws(PrivateFile.Failure) {
            try PrivateFolder.check(path)
            return true
        } catch .notFound {
            return false
        } catch .openToOthers {
            throw .state(path, "other users have access to it: chmod 700 \(path)")
        } catch .ofAnotherUser {
            throw .state(path, "it belongs to another user: give a folder of your own")
        } catch .link {
            throw .state(path, "it is a symbolic link: give the folder itself")
        } catch {
            throw .state(path, "it is no folder that can be read: check the path and its permissions")
        }
    }

    private func read(_ file: String) throws(SupplyError) -> SupplyState? {
        let bytes: [UInt8]
        do throws(PrivateFile.Failure) {
            bytes = try PrivateFile.read(file, maximumSize: Self.maximumSize)
        } catch .notFound {
            return nil
        } catch {
            throw .state(file, error.text(file))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .state(file, "not UTF-8: remove it") }
        do { return try SupplyState(parsing: text) } catch { throw .state(file, "\(error)") }
    }

    private static func write(_ bytes: [UInt8], to file: String) throws(SupplyError) {
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(file) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw failure(file) }
        }
        guard fsync(descriptor) == 0 else { throw failure(file) }
    }

    private static func failure(_ file: String) -> SupplyError { .state(file, unsafe String(cString: strerror(errno))) }
}

/// The system's call, whose name a method of the folder hides.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}

/// The claim of one process on the state of a reader; it ends with the value, and with the process.
final class SupplyClaim: Sendable {
    private let descriptor: CInt
    fileprivate init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit {
        // A child process that is being started has the descriptor too, until it runs its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
