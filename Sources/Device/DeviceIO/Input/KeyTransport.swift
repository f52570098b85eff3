/// A keyboard as a source of key events. For the thread of its device only.
public protocol KeyTransport: AnyObject {
    /// The name for display.
    var name: String { get }

    /// The next key that is pressed or released.
    func next(by deadline: Deadline) throws(DeviceError) -> KeyEvent
}

public enum KeyEvent: Sendable, Hashable {
    /// Codes of Linux's input subsystem (linux/input-event-codes.h).
    case pressed(UInt16)
    case released(UInt16)
    case repeated(UInt16)
    /// The kernel's queue overflowed: keys are missing at this point.
    case lost
}
