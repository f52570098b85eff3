import Bytes
import Contactless
import EMVKernel
import Kernels
import SmartCard
import Synchronization
import TLV
import VirtualCard
import VirtualTap

/// A virtual Mastercard card with data storage, which stays the same card over several taps. It
/// approves offline up to 25.00; the reader's floor limit is 25.00, too.
struct StorageTap {
    typealias Storage = MastercardContactlessProfile.DataStorage

    static let shop: [UInt8] = [0x7A, 0x45, 0x12, 0x3E, 0xE5, 0x9C, 0x7F, 0x40]
    static let otherShop: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]
    static let input: [UInt8] = [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77]

    var tap: VirtualTap
    let card: VirtualCard
    var request = Kernel2Configuration.DataStorage(operatorIdentifier: shop)
    var kernel: Kernel2Configuration

    init(_ storage: Storage? = Storage(), _ change: (inout MastercardContactlessProfile) -> Void = { _ in }) throws {
        var profile = CardProfile.mastercardStyle()
        var contactless = MastercardContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        contactless.recoversTornTransactions = true
        contactless.dataStorage = storage
        change(&contactless)
        profile.contactless = .mastercard(contactless)
        let limits = TransactionLimits(transactionLimit: 300_00, floorLimit: 25_00, cvmRequiredLimit: 200_00)
        let combination = Combination.mastercard(limits: limits)
        kernel =
            combination.kernel as? Kernel2Configuration
            ?? Kernel2Configuration(
                floorLimit: 0, transactionLimit: 0, deviceTransactionLimit: 0, cvmRequiredLimit: 0)
        tap = try VirtualTap(profile, [combination])
        card = VirtualCard(tap.card, interface: .contactless)
    }

    struct Run {
        let tap: VirtualTap.Run
        /// What the terminal knew before it wrote; nil if it was not asked.
        let reported: DataElements?

        var outcome: ContactlessOutcome { tap.outcome }
        /// DS summary status, DF810B.
        var summaryStatus: String? { outcome.discretionaryData[0xDF810B]?.hex }
        /// Byte 2 of the error indication, DF8115.
        var error: UInt8? { outcome.discretionaryData[0xDF8115]?[1] }
        /// Pre- and post-GENERATE AC PUT DATA status.
        var writeStatus: [String?] {
            [outcome.discretionaryData[0xDF810F]?.hex, outcome.discretionaryData[0xDF810E]?.hex]
        }
        /// What GENERATE AC has behind the 33 bytes of CDOL1.
        var storageData: [UInt8]? { tap.data(of: .generateAC).map { Array($0.dropFirst(33)) } }
    }

    /// One tap of the card, in which the terminal writes `writes`.
    func run(_ writes: Kernel2Configuration.DataStorage.Writes = .init()) async throws -> Run {
        let reported = Mutex<DataElements?>(nil)
        var (tap, kernel, request) = (tap, kernel, request)
        request.answer = { known in
            reported.withLock { $0 = known }
            return writes
        }
        kernel.dataStorage = request
        tap.combinations[0].kernel = kernel
        let run = try await tap.run(card)
        return Run(tap: run, reported: reported.withLock { $0 })
    }

    func run(_ write: Kernel2Configuration.DataStorage.SlotWrite) async throws -> Run {
        try await run(.init(slot: write))
    }
}

extension Kernel2Configuration.DataStorage.SlotWrite {
    /// A write for any cryptogram.
    static func write(
        _ data: String, _ info: Info = .volatileSlot, cryptogram: CryptogramType? = .tc,
        instructions: Instructions? = [.usableForARQC, .usableForAAC], cardInput: [UInt8]? = nil,
        terminalInput: [UInt8]? = nil
    ) -> Self {
        Self(
            info: info, cryptogram: cryptogram, instructions: instructions, cardInput: cardInput,
            terminalInput: terminalInput,
            operatorData: Array(data.utf8))
    }
}
