import CFuzzer
import DeviceSupply
import Modules

@c(FuzzPackages_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// An archive and the files that readers are supplied with are read or refused; no archive has this
/// signature.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let loaders = DevicePackage.Loader.allCases
    do throws(PackageError) {
        guard Int(start[0]) % 5 < loaders.count else {
            _ = try DevicePackage(parsing: bytes, signer: Array(signer.utf8))
            fatalError("a signature of chance is right")
        }
        try DevicePackage.File(name: "file", loader: loaders[Int(start[0]) % 5], contents: bytes).check()
    } catch {
        precondition(!error.description.isEmpty)
    }
    return 0
}

private let signer = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/ZzG4kErcTmnv1SM0bJr+dgdM+SH
    MLx64p7olf5W5sveAyahRcQCMoGXdm7GUHjxK2Ilbi8m79Qhr9A7yKIhkQ==
    -----END PUBLIC KEY-----
    """
