extension Terminal {
    /// Shows in ``deviceState`` that a reader is being opened, in place of one that is connected.
    ///
    /// - Returns: The state before, for ``endConnecting(_:before:)``.
    /// - Throws: ``TerminalError/Code/busy`` while an operation is in progress.
    package func beginConnecting(_ reader: ReaderInfo) throws(TerminalError) -> DeviceState {
        guard running == nil else { throw .busy }
        // A lost reader stays, so that its driver can still reconnect by itself.
        if deviceState.isConnected { release() }
        let before = deviceState
        deviceState = DeviceState(connection: .connecting, reader: reader)
        announce(.readerConnecting(reader))
        return before
    }

    /// The reader could not be opened.
    package func endConnecting(_ error: TerminalError, before: DeviceState) {
        if deviceState.connection == .connecting { deviceState = before }
        announce(.connectionFailed(error))
    }

    /// Asks the user to choose a reader, within ``TimeLimits/person``.
    ///
    /// - Returns: The place in `readers` from 0; nil if none was chosen.
    package func chooseReader(among readers: [ReaderRequest.Candidate]) async -> Int? {
        let request = ReaderRequest(readers: readers)
        announce(.readerRequired(request))
        return await answer(request.race, within: configuration.limits.person, else: nil)
    }
}
