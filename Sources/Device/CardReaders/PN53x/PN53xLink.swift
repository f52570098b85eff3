internal import Bytes
internal import DeviceIO

/// The connection to a chip: one command, one answer. For the thread of its reader.
protocol PN53xLink: AnyObject {
    /// The maximum length of a block to a card, in bytes.
    var longestBlock: Int { get }
    /// FSDI: the maximum frame size from a card that the connection supports.
    var frameSizeInteger: UInt8 { get }

    /// Makes the chip, which may be asleep or in the middle of a command, ready for commands.
    func wake() throws(DeviceError)

    /// Sends a command and waits for its answer, which is returned without its code. A command that
    /// the chip may have executed is not sent again.
    ///
    /// - Parameter time: How long the chip may need for it.
    func perform(_ command: PN53xCommand, time: Duration) throws(DeviceError) -> Wiped

    /// Ends the command in progress; a later answer to it is skipped.
    func abort() throws(DeviceError)

    /// Skips unrequested input; false if the connection was lost.
    func isConnected() -> Bool
}
