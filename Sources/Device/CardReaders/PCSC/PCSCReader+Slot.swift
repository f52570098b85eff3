public import CardCapture
internal import DeviceIO
public import SmartCard

extension PCSCReader: CardSlot {
    /// The capabilities of the interface that is used.
    public nonisolated var capabilities: ReaderCapabilities {
        interface?.capability ?? [.contactChip, .contactlessChip]
    }

    /// The interval for checking whether the task was cancelled; normally the cancellation itself
    /// ends the wait.
    private static let slice = Duration.seconds(1)

    /// Waits for a card until the task is cancelled, connects to it exclusively and opens a channel
    /// to it.
    public func powerOn() async throws(CaptureError) -> any CardChannel {
        var isPresent = false
        while !isPresent {
            if Task.isCancelled { throw .cancelled }
            let result: Result<Bool, PCSCError> = await withTaskCancellationHandler {
                do throws(PCSCError) {
                    return .success(try self.isPresent(waitingAtMost: Self.slice))
                } catch {
                    return .failure(error)
                }
            } onCancel: {
                cancel()
            }
            do throws(PCSCError) {
                isPresent = try result.get()
            } catch {
                throw CaptureError(error)
            }
        }
        return try await activate()
    }

    /// A channel to the card in the reader.
    ///
    /// - Throws: ``CaptureError/noCardPresented`` if there is none.
    package func activate() async throws(CaptureError) -> PCSCChannel {
        let (activation, card): (Int, PCSCContext.Card)
        do throws(PCSCError) {
            (activation, card) = try connect()
        } catch {
            throw CaptureError(error)
        }
        do throws(InterfaceMismatch) {
            try InterfaceMismatch.check(card.answerToReset, at: interface)
        } catch {
            disconnect()
            throw .readerFailed(.driver(error))
        }
        return PCSCChannel(reader: self, activation: activation, card: card)
    }

    public func powerOff() async { disconnect() }

    public func isEmpty() async throws(CaptureError) -> Bool {
        do throws(PCSCError) {
            return try !isPresent()
        } catch {
            throw CaptureError(error)
        }
    }
}

/// A powered card in a reader of the PC/SC service, until it is removed or powered off.
package struct PCSCChannel: CardChannel {
    package let answerToReset: [UInt8]
    private let reader: PCSCReader
    private let activation: Int
    private let isT0: Bool

    init(reader: PCSCReader, activation: Int, card: PCSCContext.Card) {
        self.reader = reader
        self.activation = activation
        answerToReset = card.answerToReset
        isT0 = card.speaksT0
    }

    /// Handles `61xx` and `6Cxx` of a T=0 card. PC/SC cannot abort a command in progress: a
    /// cancelled task ends when the card answers.
    package func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let direct = Direct(channel: self)
        return isT0 ? try await ProcedureByteHandling(direct).transmit(command) : try await direct.transmit(command)
    }

    /// Sends each command in one exchange.
    private struct Direct: CardChannel {
        let channel: PCSCChannel

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            if Task.isCancelled { throw .cancelled }
            return try await channel.reader.transmit(command, activation: channel.activation)
        }
    }
}
