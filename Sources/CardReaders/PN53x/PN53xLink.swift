internal import DeviceIO

/// The way to a chip: one command, one answer. For the thread of its reader.
protocol PN53xLink: AnyObject {
    /// How long blocks to a card may be, in bytes.
    var longestBlock: Int { get }
    /// FSDI: the frames of a card that the way has room for.
    var frameSizeInteger: UInt8 { get }

    /// Brings the chip, which may be asleep or in the middle of a command, to where it takes commands.
    func wake() throws(DeviceError)

    /// Sends a command and waits for its answer, which is returned without its code. No command is sent again that the chip may have executed.
    ///
    /// - Parameter time: How long the chip may need for it.
    func perform(_ command: PN53xCommand, time: Duration) throws(DeviceError) -> [UInt8]

    /// Ends the command under way; its answer, should it come, is passed over.
    func abort() throws(DeviceError)

    /// Passes over what has come unasked; false if the other side has gone.
    func isConnected() -> Bool
}
