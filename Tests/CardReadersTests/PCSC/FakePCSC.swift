import Foundation
import SmartCard
import VirtualCard

/// A libpcsclite of our own, compiled for each test: one reader, whose card is a closure, and
/// errors on command. The names and numbers are those of PC/SC part 5.
@safe
final class FakePCSC: @unchecked Sendable {
    private static let source = """
        #include <pthread.h>
        #include <string.h>
        #include <time.h>
        typedef long LONG; typedef unsigned long DWORD;
        struct state { const char *name; void *user; DWORD current, event, length; unsigned char atr[33]; };
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
        static int present, cancelled, connected, waiting, pad; static DWORD proto = 2, faults[9]; static unsigned char asked[256]; static DWORD asked_length; static unsigned char atr[33]; static DWORD atr_length;
        static int (*card)(void *, const unsigned char *, DWORD, unsigned char *, DWORD *); static void *context;
        void fake_fault(int call, DWORD code) { faults[call] = code; }
        void fake_insert(int is, DWORD p, const unsigned char *a, DWORD n) {
            pthread_mutex_lock(&lock); present = is; proto = p; atr_length = n; if (n) memcpy(atr, a, n); pthread_cond_broadcast(&changed); pthread_mutex_unlock(&lock);
        }
        void fake_card(int (*c)(void *, const unsigned char *, DWORD, unsigned char *, DWORD *), void *x) { card = c; context = x; }
        int fake_connected(void) { return connected; }
        int fake_waiting(void) { pthread_mutex_lock(&lock); int w = waiting; pthread_mutex_unlock(&lock); return w; }
        static LONG fault(int call) { DWORD code = faults[call]; faults[call] = 0; return (LONG)code; }
        LONG SCardEstablishContext(DWORD scope, const void *a, const void *b, LONG *c) { *c = 42; return scope == 2 ? fault(0) : 0x80100004; }
        LONG SCardReleaseContext(LONG c) { return c == 42 ? 0 : 0x80100003; }
        LONG SCardListReaders(LONG c, const char *groups, char *names, DWORD *length) {
            LONG code = fault(1); if (code || c != 42) return code;
            static const char all[] = "Fake reader 00 00\\0Other\\nreader\\033 01 00\\0";
            if (*length < sizeof all) return 0x80100008; memcpy(names, all, sizeof all); *length = sizeof all; return 0;
        }
        LONG SCardGetStatusChange(LONG c, DWORD timeout, struct state *states, DWORD count) {
            LONG code = fault(2); if (code) return code;
            if (strcmp(states->name, "Fake reader 00 00") && strcmp(states->name, "Other\\nreader\\033 01 00")) return 0x80100009;
            struct timespec end; clock_gettime(CLOCK_REALTIME, &end); end.tv_sec += timeout / 1000; end.tv_nsec += timeout % 1000 * 1000000;
            if (end.tv_nsec >= 1000000000) { end.tv_sec++; end.tv_nsec -= 1000000000; }
            pthread_mutex_lock(&lock); cancelled = 0; waiting++; code = 0;
            while ((states->event = present ? 0x20 : 0x10) == (states->current & 0x30)) {
                if (cancelled) { code = 0x80100002; break; }
                if (pthread_cond_timedwait(&changed, &lock, &end)) { code = 0x8010000A; break; }
            }
            pthread_mutex_unlock(&lock); return code;
        }
        LONG SCardCancel(LONG c) { pthread_mutex_lock(&lock); cancelled = 1; pthread_cond_broadcast(&changed); pthread_mutex_unlock(&lock); return 0; }
        LONG SCardConnect(LONG c, const char *name, DWORD share, DWORD protocols, LONG *handle, DWORD *active) {
            LONG code = fault(3); if (code) return code;
            if (!present) return 0x8010000C; if (share != 1 || protocols != 3 || connected) return 0x8010000B;
            connected = 1; *handle = 7; *active = proto; return 0;
        }
        LONG SCardStatus(LONG h, char *name, DWORD *n, DWORD *s, DWORD *p, unsigned char *a, DWORD *length) {
            LONG code = fault(4); if (code) return code; memcpy(a, atr, atr_length); *length = atr_length; return 0;
        }
        LONG SCardTransmit(LONG h, const DWORD *request, const unsigned char *command, DWORD n, void *r, unsigned char *answer, DWORD *length) {
            LONG code = fault(5); if (code) return code;
            if (!present) return 0x80100069; if (h != 7 || request[0] != proto || request[1] != 16) return 0x80100004;
            return card(context, command, n, answer, length) ? 0 : 0x80100013;
        }
        void fake_pad(int has) { pad = has; }
        DWORD fake_asked(unsigned char *into) { memcpy(into, asked, asked_length); return asked_length; }
        LONG SCardControl(LONG h, DWORD code, const void *in, DWORD n, void *out, DWORD capacity, DWORD *length) {
            LONG failure = fault(6); if (failure) return failure; if (h != 7 || !connected) return 0x80100004;
            static const unsigned char features[] = {0x06, 4, 0x42, 0x33, 0x00, 0x06, 0x12, 4, 0, 0, 0, 1, 0x07, 4, 0x42, 0x33, 0x00, 0x07};
            if (code == 0x42000000 + 3400) { *length = pad ? sizeof features : 0; memcpy(out, features, *length); return 0; }
            if (code != 0x42330006 && code != 0x42330007) return 0x80100016;
            asked_length = n; memcpy(asked, in, n); static const unsigned char done[] = {0x63, 0xC2}; memcpy(out, done, 2); *length = 2; return 0;
        }
        LONG SCardDisconnect(LONG h, DWORD disposition) { connected = 0; return disposition == 2 ? 0 : 0x80100004; }
        """

    /// What can fail.
    enum Call: Int32 {
        case establish, list, change, connect, status, transmit, control
    }

    struct NotBuilt: Error {}

    let path: String
    private let handle: UnsafeMutableRawPointer
    private var card: (@Sendable ([UInt8]) -> [UInt8])?

    /// The library's file, compiled once.
    private static let library = Result { try compile() }

    private static func compile() throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fake-pcsc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, library) = (folder.appending(path: "fake.c"), folder.appending(path: "libfake.so"))
        try Data(source.utf8).write(to: file)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments =
            ["clang", "-shared", "-fPIC", "-pthread", "-w", "-o"]
            + [library, file].map { $0.path(percentEncoded: false) }
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw NotBuilt() }
        return try Data(contentsOf: library)
    }

    init() throws {
        // A file of its own: the library has state, and one file is loaded once only.
        let file = FileManager.default.temporaryDirectory.appending(path: "fake-pcsc-\(UUID().uuidString).so")
        try Self.library.get().write(to: file)
        path = file.path(percentEncoded: false)
        guard let opened = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else { throw NotBuilt() }
        unsafe handle = opened
        typealias Card =
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, UInt, UnsafeMutablePointer<UInt8>?,
                UnsafeMutablePointer<UInt>?
            ) -> Int32
        typealias SetCard = @convention(c) (Card, UnsafeMutableRawPointer?) -> Void
        let callback: Card = { context, bytes, count, answer, length in
            guard let context = unsafe context, let answer = unsafe answer, let length = unsafe length else { return 0 }
            let fake = unsafe Unmanaged<FakePCSC>.fromOpaque(context).takeUnretainedValue()
            let reply = unsafe fake.card?(Array(UnsafeBufferPointer(start: bytes, count: Int(count)))) ?? []
            for (index, byte) in reply.enumerated() { unsafe answer[index] = byte }
            unsafe length.pointee = UInt(reply.count)
            return reply.isEmpty ? 0 : 1
        }
        unsafe function("fake_card", SetCard.self)(callback, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        unsafe dlclose(handle)
        try? FileManager.default.removeItem(atPath: path)
    }

    private func function<Type>(_ name: String, _ type: Type.Type) -> Type {
        guard let symbol = unsafe dlsym(handle, name) else { preconditionFailure(name) }
        return unsafe unsafeBitCast(symbol, to: type)
    }

    func fault(_ call: Call, _ code: UInt) {
        typealias Function = @convention(c) (Int32, UInt) -> Void
        function("fake_fault", Function.self)(call.rawValue, code)
    }

    func insert(_ atr: [UInt8], protocolCode: UInt, card: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.card = card
        typealias Function = @convention(c) (Int32, UInt, UnsafePointer<UInt8>, UInt) -> Void
        unsafe function("fake_insert", Function.self)(1, protocolCode, atr, UInt(atr.count))
    }

    /// A PIN pad: the code of its VERIFY is 42330006, of its change 42330007, and the card answers
    /// 63C2.
    func addPad() {
        typealias Function = @convention(c) (Int32) -> Void
        function("fake_pad", Function.self)(1)
    }

    /// What the pad was asked to do.
    var asked: [UInt8] {
        typealias Function = @convention(c) (UnsafeMutablePointer<UInt8>) -> UInt
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe function("fake_asked", Function.self)(&bytes)
        return Array(bytes.prefix(Int(count)))
    }

    func remove() {
        typealias Function = @convention(c) (Int32, UInt, UnsafePointer<UInt8>, UInt) -> Void
        unsafe function("fake_insert", Function.self)(0, 0, [0], 0)
    }

    var isConnected: Bool {
        typealias Function = @convention(c) () -> Int32
        return function("fake_connected", Function.self)() != 0
    }

    /// How often a state was waited for.
    var waits: Int32 {
        typealias Function = @convention(c) () -> Int32
        return function("fake_waiting", Function.self)()
    }
}
