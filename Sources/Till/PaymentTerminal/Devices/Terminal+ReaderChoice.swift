extension Terminal {
    /// Shows in ``deviceState`` that a reader is being opened, in place of one that is connected.
    ///
    /// - Returns: The number of the attempt, for ``endConnecting(_:_:)``.
    /// - Throws: ``TerminalError/Code/busy`` while an operation is in progress.
    package func beginConnecting(_ reader: ReaderInfo) throws(TerminalError) -> Int {
        guard running == nil else { throw .busy }
        if deviceState.isConnected { release() }
        let number = desk.beginOpening(reader)
        announce(.readerConnecting(reader))
        return number
    }

    /// The reader could not be opened.
    package func endConnecting(_ number: Int, _ error: TerminalError) {
        desk.failOpening(number)
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
