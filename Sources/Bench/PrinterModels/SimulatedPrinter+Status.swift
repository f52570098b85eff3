import Printing

extension SimulatedPrinter {
    private func bits(_ bits: (UInt8, Bool)...) -> UInt8 {
        bits.reduce(0) { $1.1 ? $0 | 1 << $1.0 : $0 }
    }

    /// The answer to `DLE EOT n`.
    func realTimeStatus(_ request: UInt8) -> UInt8 {
        let said: UInt8 =
            switch request {
            case 1: bits((2, drawerSwitch == .high), (3, isStopped))
            case 2: bits((2, isCoverOpen), (5, roll.isAtEnd), (6, !faults.isEmpty))
            case 3: faultBits
            default: bits((5, roll.isAtEnd), (6, roll.isAtEnd))
            }
        return 0x12 | said
    }

    private var faultBits: UInt8 {
        bits(
            (2, faults.contains(.recoverable)), (3, faults.contains(.cutter)), (5, faults.contains(.unrecoverable)),
            (6, faults.contains(.hot)))
    }

    /// The four bytes of `GS a`.
    var automaticStatus: [UInt8] {
        [
            0x10 | bits((2, drawerSwitch == .high), (3, isStopped), (5, isCoverOpen)), faultBits,
            bits((2, roll.isAtEnd), (3, roll.isAtEnd)), 0,
        ]
    }

    /// Star's nine bytes, of version 3 in Line Mode, and 5 in StarPRNT.
    var starStatus: [UInt8] {
        let version: UInt8 = profile.language == .starPRNT ? 0x8A : 0x86
        return [
            0x23, version,
            bits((2, drawerSwitch == .high), (3, isStopped), (5, isCoverOpen)),
            bits(
                (2, faults.contains(.mechanical)), (3, faults.contains(.cutter)), (5, faults.contains(.unrecoverable)),
                (6, faults.contains(.hot))),
            bits((2, faults.contains(.recoverable))),
            bits((3, roll.isAtEnd)),
            0, 0, 0,
        ]
    }
}
