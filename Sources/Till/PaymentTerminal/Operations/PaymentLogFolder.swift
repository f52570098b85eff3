private import Bytes
import CardCapture
private import FoundationEssentials

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

extension Terminal {
    /// A folder with a log of each operation of a terminal, for developers
    /// (``Configuration/paymentLog``).
    ///
    /// An operation, successful or not, has a file `TERMINAL-DATE-TIME-NUMBER.log`, which only its
    /// owner can read. Each line has date, time, a mark and a text. The marks are `-` for a step,
    /// `>` for a request to the host, `<` for its answer and `!` for an error. There are no card
    /// data: numbers of cards are masked, and of messages to the host only kind, order, amount and
    /// response code are written. Messages that are sent in the background while an operation runs
    /// are in its file.
    ///
    /// A log that cannot be written stops no payment.
    public struct PaymentLogFolder: Sendable {
        /// Why a folder cannot have logs.
        public enum Failure: Error, Equatable, Sendable {
            /// The folder cannot be created, or the path is not a folder.
            case notCreated
            /// Other users have access to the folder.
            case accessible
            /// The folder belongs to another user, or is a symbolic link.
            case foreign
        }

        /// The folder's path.
        public let path: String
        /// How many logs of a terminal are kept; the oldest is deleted first.
        public let maximumCount: Int

        /// - Parameters:
        ///   - path: Created with mode 0700 if there is no such folder.
        ///   - maximumCount: 1 or more; for each terminal.
        /// - Throws: ``Failure``.
        public init(path: String, maximumCount: Int = 500) throws(Failure) {
            try self.init(path: path, maximumCount: maximumCount, isCreated: true)
        }

        /// - Parameter isCreated: False to check the folder alone, which may be missing then.
        package init(path: String, maximumCount: Int, isCreated: Bool) throws(Failure) {
            self.path = path
            self.maximumCount = max(maximumCount, 1)
            if isCreated {
                do {
                    try FileManager.default.createDirectory(
                        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                } catch {
                    throw .notCreated
                }
            }
            do throws(PrivateFile.Failure) {
                try PrivateFolder.check(path)
            } catch {
                switch error {
                case .notFound where !isCreated: return
                case .openToOthers: throw .accessible
                case .ofAnotherUser, .link: throw .foreign
                case .notFound, .notReadable, .notAFile, .tooLarge: throw .notCreated
                }
            }
        }

        /// Creates the log of an operation, and deletes the oldest of the terminal.
        ///
        /// - Returns: Nil if the file cannot be created.
        func open(of terminalID: String, at time: Timestamp) -> PaymentLog? {
            let terminal = Self.escaped(terminalID) + "-"
            removeOldest(of: terminal)
            let moment = "\(time.date)-\(time.time)".filter { $0 != ":" }
            for number in 1...999 {
                let file = "\(path)/\(terminal)\(moment)-\(String(number + 1000).dropFirst()).log"
                let descriptor = create(file)
                if descriptor >= 0 { return PaymentLog(descriptor) }
                guard errno == EEXIST else { return nil }
            }
            return nil
        }

        private func removeOldest(of terminal: String) {
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return }
            let logs = names.filter { $0.hasPrefix(terminal) && $0.hasSuffix(".log") }.sorted()
            for name in logs.dropLast(maximumCount - 1) { unsafe unlink("\(path)/\(name)") }
        }

        /// Letters, digits and `_` as they are, other bytes as `%` and two digits.
        private static func escaped(_ text: String) -> String {
            text.utf8.map { byte in
                let character = Character(Unicode.Scalar(byte))
                if character.isASCII, character.isLetter || character.isNumber || character == "_" {
                    return String(character)
                }
                return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
        }
    }
}

/// The system's call, whose name a method of the folder hides.
private func create(_ file: String) -> CInt {
    unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
}

extension Terminal.PaymentLogFolder.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notCreated: "the folder for payment logs cannot be created: check its path and permissions"
        case .foreign:
            "the folder for payment logs belongs to another user, or is a symbolic link: give a folder of your own"
        case .accessible: "other users have access to the folder for payment logs: set its mode to 0700"
        }
    }
}
