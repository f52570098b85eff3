import CardReaders
import DeviceIO
import Glibc
import Peripherals
import Testing

/// A serial scanner behind a pseudoterminal.
@Suite("A scanner is connected once, and gives every scan", .timeLimit(.minutes(20))) struct BarcodeScannerTests {
    private func terminal() throws -> (CInt, String) {
        let terminal = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN of Linux, ioctl_tty(2).
        var (lock, number): (CInt, CInt) = (0, 0)
        let isOpen = unsafe ioctl(terminal, 0x4004_5431, &lock) == 0 && ioctl(terminal, 0x8004_5430, &number) == 0
        try #require(isOpen)
        return (terminal, "/dev/pts/\(number)")
    }

    @Test("Scans in torn pieces, then the cable is pulled; a second connection is refused meanwhile") func stream()
        async throws
    {
        let (device, path) = try terminal()
        let scanner = try BarcodeScanner(.serial(path: path, rate: 9600))
        let stream = try await scanner.connect()
        await #expect(throws: DeviceError.busy(path, holder: nil)) { _ = try await scanner.connect() }
        for text in ["40063", "81333931\r\n]Q1", "https://example.com/", "1\r"] {
            _ = unsafe write(device, text, text.utf8.count)
        }
        var seen: [String] = []
        for await event in stream {
            switch event {
            case .scan(let scan):
                seen.append(scan.text ?? "")
                if seen.count == 2 { close(device) }
            case .refused(let reason): seen.append(reason.rawValue)
            case .disconnected(let error): seen.append("\(error.code)")
            }
        }
        #expect(seen == ["4006381333931", "https://example.com/1", "disconnected"])
    }

    @Test("A scanner that is closed can be connected again") func again() async throws {
        let (device, path) = try terminal()
        defer { close(device) }
        let scanner = try BarcodeScanner(.serial(path: path, rate: 9600))
        for code in ["1", "2"] {
            let stream = try await scanner.connect()
            _ = unsafe write(device, code + "\r", 2)
            for await event in stream {
                guard case .scan(let scan) = event else { continue }
                #expect(scan.text == code)
                scanner.close()
            }
        }
    }

    @Test("A scanner that is not there is told, and so is a file that is none") func absent() async throws {
        let scanner = try BarcodeScanner(.hid(path: "/dev/hidraw-absent"))
        await #expect(throws: DeviceError.notFound("/dev/hidraw-absent")) { _ = try await scanner.connect() }
        let other = try BarcodeScanner(.keyboard(path: "/dev/null", layout: .american))
        await #expect(throws: DeviceError.self) { _ = try await other.connect() }
    }

    @Test(
        arguments: [
            (
                "/dev/input/by-id/usb-scanner-event-kbd",
                .keyboard(path: "/dev/input/by-id/usb-scanner-event-kbd", layout: .american)
            ),
            ("/dev/hidraw3", .hid(path: "/dev/hidraw3")),
            ("serial:/dev/ttyACM0", .serial(path: "/dev/ttyACM0", rate: 9600)),
        ] as [(String, ScannerAddress)])
    func addresses(_ text: String, _ address: ScannerAddress) throws {
        #expect(try ScannerAddress(parsing: text) == address)
    }

    @Test(arguments: ["", "/dev/ttyACM0", "hidraw0", "serial:ttyACM0", "tcp://host"]) func invalid(_ text: String) {
        #expect(throws: ScannerAddress.Invalid()) { try ScannerAddress(parsing: text) }
    }
}
