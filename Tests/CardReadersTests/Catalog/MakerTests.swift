import Testing

@testable import CardCapture
@testable import CardReaders
@testable import DeviceIO

/// Point A2 of docs/requirements.md.
@Suite("Makers of readers have stable names") struct MakerTests {
    /// Written by hand: a raw value is kept by programs, so that none may change. The vendor
    /// numbers are those of `usb.ids` (linux-usb.org, 2025-07-26); 04CC is ST-Ericsson's, with
    /// which NXP's chips come.
    private static let makers: [(vendor: UInt16, product: UInt16, rawValue: String)] = [
        (0x03F0, 0x1024, "hp"), (0x046A, 0x00A7, "cherry"), (0x04CC, 0x2533, "nxp"), (0x04E6, 0xE001, "identiv"),
        (0x072F, 0x2200, "acs"), (0x076B, 0x3031, "omnikey"), (0x0783, 0x0003, "c3po"), (0x0801, 0x0002, "magTek"),
        (0x08E6, 0x3437, "gemalto"), (0x09D8, 0x0427, "elatec"), (0x0ACD, 0x2010, "idTech"),
        (0x0B97, 0x7762, "o2Micro"),
        (0x0BF8, 0x1017, "fujitsu"), (0x0DC3, 0x1004, "athena"), (0x1753, 0xC902, "gertec"), (0x1FD3, 0x0608, "ask"),
    ]

    @Test("each maker has an id that stays") func ids() {
        for (vendor, product, rawValue) in Self.makers {
            #expect(ReaderModel.Maker(vendor: vendor, product: product)?.rawValue == rawValue)
        }
        // Miura's readers have no number on USB that the drivers know.
        #expect(Set(ReaderModel.Maker.allCases.map(\.rawValue)) == Set(Self.makers.map(\.rawValue) + ["miura"]))
    }

    @Test("each row with a vendor has its maker, but for one that uses another's number") func rows() {
        for model in ReaderCatalog.models {
            guard let vendor = model.vendor, let product = model.product else { continue }
            let maker = ReaderModel.Maker(vendor: vendor, product: product)
            #expect((maker == nil) == (model.name == "MSR605X"), "\(model.name)")
        }
    }

    @Test("a reader's maker is known by its numbers, by its family, or not at all") func found() {
        let chip = DeviceNode.InterfaceClass(0x0B, subclass: 0, protocolCode: 0)
        #expect(ReaderCatalog.reader(.usb(0x08E6, 0x3437, [chip]))?.maker == .gemalto)
        #expect(ReaderCatalog.reader(.usb(0x1234, 0x5678, [chip]))?.maker == nil)
        #expect(ReaderCatalog.reader(.bluetooth("Miura 515"))?.maker == .miura)
        let adapter = DeviceNode(
            kind: .serial, node: "/dev/ttyACM0", path: "/devices/tty", vendor: 0x0801, product: 0x0002, maker: "",
            model: "",
            serialNumber: "", usbPath: "", interfaceNumber: nil, interfaces: [], driver: "")
        func named(_ family: ReaderFamily) -> ReaderModel.Maker? {
            ReaderCatalog.Found(node: adapter, family: family, model: ReaderModel(.serial, name: ""), isNamed: true)
                .maker
        }
        #expect(named(.gemPCTwin) == .gemalto)
        #expect(named(.idTechSwipe) == .idTech)
        #expect(named(.abecs) == nil, "the numbers are those of the adapter")
    }
}
