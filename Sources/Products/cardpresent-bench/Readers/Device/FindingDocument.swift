import CardCapture
import DeviceSupply
import Synchronization

/// What check and load found, for JSON.
struct FindingDocument: Encodable {
    let maker, model, serialNumber, firmware: String?
    let packageVersion: String
    let needsPackage: Bool
    let need: String
    let installedVersion: String?
    let step, steps: Int?
    let isLoaded: Bool?

    init(_ finding: DeviceSupplier.Finding, _ package: DevicePackage, isLoaded: Bool?) {
        let identity = finding.identity
        (maker, model, serialNumber, firmware) = (
            identity.maker, identity.model, identity.serialNumber, identity.firmware
        )
        packageVersion = package.manifest.version
        needsPackage = finding.need != .none
        self.isLoaded = isLoaded
        var (installed, place): (String?, (Int, Int)?)
        switch finding.need {
        case .none: need = "none"
        case .neverConfigured: need = "neverConfigured"
        case .otherVersion(let version): (need, installed) = ("otherVersion", version)
        case .older: need = "older"
        case .otherContents: need = "otherContents"
        case .renamed: need = "renamed"
        case .otherFirmware: need = "otherFirmware"
        case .interrupted(let step, let steps, _): (need, place) = ("interrupted", (step, steps))
        }
        installedVersion = installed
        (step, steps) = (place?.0, place?.1)
    }
}

/// How far the progress bar is.
final class Shown: Sendable {
    private let percent = Mutex(0)

    /// - Returns: By how much it grows.
    func advance(to new: Int) -> Int {
        percent.withLock { percent in
            defer { percent = max(percent, new) }
            return max(0, new - percent)
        }
    }
}

extension ReaderIdentity {
    /// One line for the console.
    var summary: String { [maker, model, serialNumber].compactMap(\.self).joined(separator: " ") }
}
