import CardCapture

/// The battery of the connected reader.
extension Terminal {
    /// Queries the battery at once and then at intervals, until the reader is released.
    func watchBattery(of reader: any CardReader) {
        let pause = configuration.limits.battery
        whileConnected { [weak self] in
            while !Task.isCancelled {
                await self?.askBattery(of: reader)
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Queries only between operations: a reader supports one operation at a time.
    private func askBattery(of reader: any CardReader) async {
        guard running == nil, batteryQuestion == nil, deviceState.isConnected else { return }
        let limit = configuration.limits.standDown
        let question = Task {
            do throws(CaptureError) {
                let state = try await within(limit, grace: limit, orElse: .readerTimedOut) {
                    () async throws(CaptureError) in
                    try await reader.battery()
                }
                return state ?? .unknown
            } catch {
                return BatteryState.unknown
            }
        }
        batteryQuestion = question
        let state = await question.value
        batteryQuestion = nil
        if !Task.isCancelled { note(state) }
    }

    /// Waits for a query in progress, because the reader would refuse a card meanwhile.
    func endBatteryQuestion() async {
        if let state = await batteryQuestion?.value { note(state) }
    }

    private func note(_ state: BatteryState) {
        guard deviceState.isConnected, deviceState.reader?.battery != state else { return }
        takeFromReader()
        took(.battery(state))
    }

    /// Refuses a payment if the reader may switch off before its end.
    ///
    /// - Throws: ``TerminalError/Code/lowBattery``.
    func checkBattery() async throws(TerminalError) {
        await endBatteryQuestion()
        guard let state = deviceInfo?.battery, let percent = state.percent,
            state.isLow(minimum: configuration.minimumBattery)
        else {
            return
        }
        throw TerminalError(.lowBattery, "the reader's battery is at \(percent) %: charge it first")
    }
}
