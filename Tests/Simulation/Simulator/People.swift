internal import PaymentTerminal

/// The cardholder and the attendant: they answer what the terminal asks them, or do not.
extension Life {
    func attend(to content: TerminalEvent.Content) {
        switch content {
        case .signatureRequired(let request):
            world.shop.signs(false)
            if world.strikes(.signatureMissing, .corners) { return staysAway() }
            let refuses = world.strikes(.signatureRefused, .corners)
            later { [world] in
                guard !refuses, let signature = Self.signature else { return _ = request.decline() }
                world.shop.signs(request.submit(signature))
            }
        case .signatureToVerify(let verification):
            world.shop.signs(false)
            if world.strikes(.verificationMissing, .corners) { return staysAway() }
            let isGenuine = !world.strikes(.mismatch, .corners)
            later { [world] in
                world.shop.signs(verification.answer(isGenuine) && isGenuine)
            }
        case .referralRequired(let request):
            if world.strikes(.callMissing, .corners) { return staysAway() }
            if world.strikes(.callCancelled, .corners) {
                later { [terminal] in Task.detached { _ = await terminal.cancel() } }
            } else {
                let refuses = world.strikes(.callRefused, .corners)
                later { if refuses { request.decline() } else { request.submit(approvalCode: "A1B2C3") } }
            }
        default: break
        }
    }

    private static let signature = Signature(strokes: [[.init(x: 10, y: 20), .init(x: 60, y: 70)]])

    /// Nobody says how long an order waits then.
    private func staysAway() { world.shop.disturbed.formUnion(world.shop.running.map(\.orderID)) }

    /// A person takes a while.
    private func later(_ act: @escaping () -> Void) {
        let time = Int64(1 + world.draw(.corners, "person takes", 20)) * 1_000_000_000
        world.loop.after(time, "person", life: number) { [world] in
            world.shop.spentWithPeople(time)
            act()
        }
    }
}
