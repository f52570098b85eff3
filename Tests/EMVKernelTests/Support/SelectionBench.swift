import Bytes
import SmartCard
import TLV

@testable import EMVKernel

let visaAID = CardImage.aid
/// SELECT of the PSE.
let selectPSE = "00A404000E315041592E5359532E444446303100"

/// SELECT by name, with P2 02 for the next one (EMV 4.4 Book 1, tables 5 to 7).
func selectCommand(_ aid: String, next: Bool = false) -> String {
    let count = aid.count / 2
    return "00A404" + (next ? "02" : "00") + [UInt8(count)].hex + aid + "00"
}

/// FCI of the PSE with its directory in file 2, SW 9000 (EMV 4.4 Book 1, table 8).
func directoryFCI(_ proprietary: (String, String)...) -> String {
    let name = object("84", "315041592E5359532E4444463031")
    return object("6F", name + object("A5", object("88", "02") + objects(proprietary))) + "9000"
}

/// READ RECORD of that directory (EMV 4.4 Book 1, tables 3 and 4).
func readDirectory(_ number: UInt8) -> String { "00B2" + [number].hex + "1400" }

/// An entry of the payment system directory (EMV 4.4 Book 1, table 12).
func directoryEntry(_ aid: String, priority: String? = nil, _ more: (String, String)...) -> String {
    object(
        "61", object("4F", aid) + object("50", "56495341") + (priority.map { object("87", $0) } ?? "") + objects(more))
}

func cardImage(_ pairs: [(String, String)]) -> CardImage {
    var image = CardImage()
    image.pairs = pairs
    return image
}

func selectionBench(_ aids: String..., partially: Bool = true, pse: Bool = false) -> KernelBench {
    var bench = KernelBench()
    bench.configuration.usesPaymentSystemEnvironment = pse
    bench.configuration.applications = aids.map {
        ApplicationConfiguration(aid: bytes($0), matchesPartially: partially, versions: [0x96], floorLimit: 50_00)
    }
    bench.configuration.cardholderSelectsApplication = false
    return bench
}

extension KernelBench.Run {
    /// The names of the candidates, in their order.
    var candidates: [String]? {
        for case .candidatesFound(let list) in events { return list.map(\.name.hex) }
        return nil
    }

    var selected: [String] {
        events.compactMap { if case .applicationSelected(let candidate) = $0 { candidate.name.hex } else { nil } }
    }

    var struckOff: [String] {
        events.compactMap { if case .applicationStruckOff(let candidate) = $0 { candidate.name.hex } else { nil } }
    }
}
