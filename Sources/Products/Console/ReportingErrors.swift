import ArgumentParser

/// Runs `body`; an error becomes one line on standard error and the exit status of a failure.
package func reportingErrors(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let code as ExitCode {
        throw code
    } catch {
        printError("\(error)")
        throw ExitCode(ExitStatus.failure)
    }
}
