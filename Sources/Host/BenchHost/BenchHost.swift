public import Bytes
private import CardCryptography
import MagneticStripe
public import PaymentTerminal
public import SealedStore
import Synchronization

/// A payment host within the process, for the bench: it keeps cards in a vault, decides as their
/// test issuer, and stores the orders.
///
/// It accepts only published test card numbers, unless its configuration says otherwise. Do not use
/// it with cardholders' cards.
public final class BenchHost: PaymentHost {
    let vault: Vault
    let issuer: TestIssuer
    let hostSettings: HostSettings
    let rules: HostRules
    /// A cache of terminals: only one process opens the vault, so they change only through this
    /// object.
    let knownTerminals = Mutex<[String: BenchTerminal]>([:])
    /// Deleted with the host; nil for a permanent vault.
    private let temporaryFolder: TemporaryFolder?

    /// - Parameters:
    ///   - folder: the folder of the vault; created if it does not exist. Only one process at a
    ///     time can open it.
    ///   - vaultKey: 32 random bytes; always the same key.
    ///   - settings: the settings of terminals that are not in the vault.
    public convenience init(
        folder: String, vaultKey: SecretBytes, issuer: TestIssuer, settings: HostSettings = .bench,
        rules: HostRules = HostRules()
    ) throws(StoreError) {
        try self.init(
            folder: folder, vaultKey: vaultKey, issuer: issuer, settings: settings, rules: rules, files: SystemFiles())
    }

    /// - Parameter files: The file system of the vault's folder and its lock.
    package convenience init(
        folder: String, vaultKey: SecretBytes, issuer: TestIssuer, settings: HostSettings = .bench,
        rules: HostRules = HostRules(),
        files: some StoreFiles
    ) throws(StoreError) {
        self.init(
            try Vault(folder: folder, vaultKey: vaultKey, files: files),
            temporaryFolder: nil,
            issuer: issuer,
            settings: settings, rules: rules)
    }

    /// A host with a vault in the system's folder for temporary files. It is deleted after the last
    /// use of the vault, which may be on the vault's own queue; if the process ends before, by the
    /// next process that makes such a host.
    public static func temporary(
        issuer: TestIssuer, settings: HostSettings = .bench, rules: HostRules = HostRules()
    ) throws(StoreError) -> BenchHost {
        guard let folder = TemporaryFolder() else { throw .unwritable(store: "vault", because: .folder) }
        let vault = try Vault(
            folder: folder.path, vaultKey: SecretBytes(SecureRandom.bytes(32)),
            files: SystemFiles())
        return BenchHost(vault, temporaryFolder: folder, issuer: issuer, settings: settings, rules: rules)
    }

    private init(
        _ vault: Vault, temporaryFolder: TemporaryFolder?, issuer: TestIssuer, settings: HostSettings, rules: HostRules
    ) {
        self.vault = vault
        self.temporaryFolder = temporaryFolder
        self.issuer = issuer
        hostSettings = settings
        self.rules = rules
    }

    /// Closes the vault at once, not only when the last reference is released. Later calls fail.
    public func close() throws(StoreError) { try vault.close() }

    public var testOnlyReason: String? { "it is a bench host with an issuer that uses test keys" }

    /// The tokens for the card number, oldest first: delete them when a card is lost.
    public func tokens(for pan: SecretBytes) async throws(HostError) -> [SecureCardReference] {
        try await transaction { try $0.tokens(for: pan) }
    }
}

extension HostSettings {
    /// The settings of the bench's own terminal, which accepts every currency.
    public static let bench = HostSettings(
        merchantName: "CARDPRESENT BENCH", terminalID: "BENCH001", currencies: Currency.all,
        customFields: ["InvoiceNumber", "ReferenceID", "Note"])
}

extension BenchHost {
    /// Runs `body` in one transaction of the vault and maps every failure to a `HostError`.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (VaultTransaction) throws -> Result
    ) async throws(HostError) -> Result {
        do {
            return try await vault.transaction(body)
        } catch let error as HostError {
            throw error
        } catch StoreError.damaged {
            throw .damagedVault
        } catch let error as StoreError {
            throw HostError(.internalError, error.description)
        } catch let error as IssuerScriptError {
            throw HostError(.internalError, error.description)
        } catch let error as CardDetailsError {
            throw HostError(.cardRefused, error.description)
        } catch is CancellationError {
            throw HostError(.unreachable, "the request was cancelled; nothing of it was stored")
        } catch {
            throw HostError(.internalError, "the request or a stored record cannot be read; nothing was stored")
        }
    }

    func refuseUnknownRange(_ card: CardDetails) throws(HostError) {
        guard rules.takesAnyCard || TestCardNumbers.contains(card.pan) else {
            throw HostError(.cardRefused, "the bench host accepts published test card numbers only: use a test card")
        }
    }
}

extension HostError {
    /// A record of the vault does not authenticate.
    static let damagedVault = HostError(
        .internalError,
        "the vault: a stored record was changed from outside and cannot be read; restore a copy, or seed another folder"
    )
}
