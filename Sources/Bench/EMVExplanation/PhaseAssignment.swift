import EMVKernel
import SmartCard

/// Assigns each command to a phase of the transaction.
struct PhaseAssignment {
    private(set) var phase = KernelEvent.Phase.applicationSelection
    /// GENERATE AC commands since the application was started.
    private(set) var cryptograms = 0
    private var isStarted = false

    /// The phase of the next command.
    mutating func assign(_ command: CommandAPDU, _ status: StatusWord?) -> KernelEvent.Phase {
        phase = next(command)
        if command.instruction == .generateAC, status?.sw1 != 0x6C { cryptograms += 1 }
        return phase
    }

    /// The phase of a kernel's decision with this name; the current phase for an unknown name.
    mutating func assign(decision name: some StringProtocol) -> KernelEvent.Phase {
        switch KernelEvent.Phase(rawValue: String(name)) {
        case nil: break
        // After the first cryptogram, the terminal decides again, for the second.
        case .actionAnalysis? where cryptograms > 0: phase = .completion
        case .cardActionAnalysis? where cryptograms > 1: phase = .completion
        case let named?: phase = named
        }
        return phase
    }

    /// The phase of a host message: to the issuer before the end of the transaction, about its end
    /// afterwards.
    mutating func assignHost() -> KernelEvent.Phase {
        if phase != .completion, cryptograms < 2 { phase = .onlineProcessing }
        return phase
    }

    private mutating func next(_ command: CommandAPDU) -> KernelEvent.Phase {
        switch command.instruction {
        case .getResponse: return phase
        case .select:
            (isStarted, cryptograms) = (false, 0)
            return .applicationSelection
        case .getProcessingOptions:
            (isStarted, cryptograms) = (true, 0)
            return .initiateApplication
        case .readRecord: return !isStarted ? .applicationSelection : cryptograms == 0 ? .readApplicationData : phase
        case .internalAuthenticate: return .dataAuthentication
        case .verify, .getChallenge: return cryptograms == 0 ? .cardholderVerification : phase
        case .getData where cryptograms == 0 && isStarted:
            return command.p1 == 0x9F && command.p2 == 0x17 ? .cardholderVerification : .riskManagement
        case .getData: return phase
        case .generateAC: return cryptograms == 0 ? .cardActionAnalysis : .completion
        case .externalAuthenticate: return .onlineProcessing
        default: return cryptograms > 0 ? .issuerScripts : phase
        }
    }
}
