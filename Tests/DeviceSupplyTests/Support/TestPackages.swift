import Bytes

@testable import DeviceSupply

enum TestPackage {
    /// Tables with one record of ten characters.
    static func tables(acquirer: Int = 4) -> DevicePackage.File {
        DevicePackage.File(
            name: "tables-\(acquirer).json", loader: .abecsTables,
            contents: Array(
                #"{"acquirer": \#(acquirer), "version": "1234567890", "records": ["010AAAAAAA", "008BBBBB"]}"#.utf8))
    }

    static func archive(
        version: String = "2026-11", counter: Int = 0, stage: DevicePackage.Stage = .production,
        maker: String = "SUBDIV",
        models: [String] = ["PP2000;8MB"],
        files: [DevicePackage.File] = [tables()]
    ) throws -> [UInt8] {
        try DevicePackage.archive(
            maker: maker, models: models, version: version, counter: counter, stage: stage, files: files,
            key: SecretBytes(Signer.p256().privateKey))
    }

    static func opened(
        version: String = "2026-11", counter: Int = 0, stage: DevicePackage.Stage = .production,
        maker: String = "SUBDIV",
        models: [String] = ["PP2000;8MB"],
        files: [DevicePackage.File] = [tables()]
    ) throws -> DevicePackage {
        try DevicePackage(
            parsing: archive(
                version: version, counter: counter, stage: stage, maker: maker, models: models, files: files),
            signer: Signer.p256().publicKey)
    }
}
