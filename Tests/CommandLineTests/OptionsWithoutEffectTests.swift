import Testing

@Suite(.timeLimit(.minutes(20))) struct OptionsWithoutEffectTests {
    @Test(
        "An option that would have no effect is refused, and the message says which to leave out",
        arguments: [
            (["sale", "1.00", "--token", "2967531234567890", "--card", "visa"], "--card"),
            (["sale", "1.00", "--token", "2967531234567890", "--tap"], "--tap"),
            (["secure-card", "show", "c", "--card", "visa"], "--card"),
            (["secure-card", "delete", "c", "--card", "visa"], "--card"),
            (["replay", "a.apdu", "--jobs", "2"], "--jobs"),
            (["replay", "a.apdu", "--time-limit", "2"], "--time-limit"),
            (["replay", "a.apdu", "--json", "--explain"], "--json"),
            (["apdu", "00A40400", "--pcsc", "--slot", "2"], "--pcsc"),
            (["apdu", "00A40400", "--pcsc", "--fast"], "--pcsc"),
            (["apdu", "E000001800", "--escape", "--pcsc"], "--pcsc"),
            (["apdu", "E000001800", "--escape", "--wait"], "--wait"),
            (["swipe", "--family", "MSR605", "--device", "/dev/null", "--layout", "gb"], "--layout"),
            (["host", "serve", "--self-signed", "--certificate", "chain.pem", "--key", "key.pem"], "--certificate"),
            (["host", "inspect", "--limit", "500"], "--limit"), (["host", "inspect", "--terminal", "T1"], "--order"),
        ])
    func withoutEffect(_ arguments: [String], _ option: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, arguments)
            #expect(run.status == 64, "\(run.errors)")
            #expect(run.output.isEmpty, "\(run.errors)")
            #expect(run.errors.split(separator: "\n").first?.contains(option) == true, "\(run.errors)")
        }
    }
}
