/// What a process of `cardpresent` costs, against an empty Swift executable built the same way.
enum StartBenchmark {
    static func run(cardpresent: String, empty: String) throws -> [Comparison] {
        let reference = "an empty Swift executable"
        var version = Comparison("`cardpresent --version`, the whole process", against: reference, limit: 2.75)
        var decode = Comparison("`cardpresent decode` of an FCI, the whole process", against: reference, limit: 3.1)
        for _ in 0..<60 {
            let cost = try MeasuredProcess.run([empty]).cost
            version.take(ours: try MeasuredProcess.run([cardpresent, "--version"]).cost, reference: cost)
            decode.take(
                ours: try MeasuredProcess.run([
                    cardpresent, "decode", "6F168407A0000000031010A50B5009564953412054455354",
                ]).cost,
                reference: cost)
        }
        return [version, decode]
    }
}
