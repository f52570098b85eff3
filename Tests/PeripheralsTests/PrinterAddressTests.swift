import DeviceIO
import Peripherals
import Testing

@Suite struct PrinterAddressTests {
    @Test(
        arguments: [
            ("tcp://192.0.2.7", .tcp(host: "192.0.2.7", port: 9100)),
            ("tcp://till:9101", .tcp(host: "till", port: 9101)),
            ("tcp://[2001:db8::1]:9100", .tcp(host: "2001:db8::1", port: 9100)),
            ("tcp://2001:db8::1", .tcp(host: "2001:db8::1", port: 9100)),
            ("/dev/usb/lp0", .linePrinter(path: "/dev/usb/lp0")),
            ("serial:/dev/ttyUSB0", .serial(path: "/dev/ttyUSB0", rate: 9600)),
            ("/dev/bus/usb/001/002", .usb(node: "/dev/bus/usb/001/002")),
            ("bluetooth:00:11:22:33:44:55", .bluetooth(BluetoothAddress("00:11:22:33:44:55")!, channel: nil)),
            ("bluetooth:00:11:22:33:44:55,3", .bluetooth(BluetoothAddress("00:11:22:33:44:55")!, channel: 3)),
            ("serial:/dev/ttyUSB0,115200", .serial(path: "/dev/ttyUSB0", rate: 115_200)),
        ] as [(String, PrinterAddress)])
    func addresses(_ text: String, _ address: PrinterAddress) throws {
        #expect(try PrinterAddress(parsing: text) == address)
        #expect(try PrinterAddress(parsing: address.description) == address)
    }

    @Test(
        arguments: [
            "", "lp0", "/", "tcp://", "tcp://host:0", "tcp://host:65536", "tcp://host:x", "tcp://[::1",
            "tcp://[::1]9100",
            "tcp://host/path", "serial:", "serial:ttyUSB0", "serial:/dev/ttyUSB0,", "serial:/dev/ttyUSB0,1",
            "serial:/a,1,2",
            "ipp://host", "bluetooth:", "bluetooth:00:11", "bluetooth:00:11:22:33:44:55,0",
            "bluetooth:00:11:22:33:44:55,",
        ])
    func invalid(_ text: String) {
        #expect(throws: PrinterAddress.Invalid()) { try PrinterAddress(parsing: text) }
    }
}
