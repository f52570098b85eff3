import CardCryptography
import Console
import FoundationEssentials
import JSONDocument
import VirtualCard

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Makes the sessions of kernel 8, `Vectors/kernel-8/*.json`: a virtual card with our kernel, and
/// every value that both derive.
///
/// No public session of a card with kernel 8 is known. `Tests/Peers/kernel8.py` recomputes all
/// values independently. Private keys and random numbers of both sides are the same in every run;
/// certificates are new.
@main
struct MakeKernel8Sessions {
    static func main() async {
        do {
            let folder = try VectorFolder.find().appending(path: "kernel-8")
            let bench = try CardPersonalizer(RSAKeySizes(certificationAuthority: 1024, issuer: 896, icc: 768))
            for curve in Kernel8ContactlessProfile.Curve.allCases {
                let session = try await RecordedSession(curve, on: bench)
                let name = curve == .p256 ? "p256" : "p521"
                try OutputFile.replace(
                    folder.appending(path: "\(name).json").path(percentEncoded: false), with: session.json.formatted)
            }
        } catch {
            printError("\(error)")
            exit(1)
        }
    }
}
