/// A keyboard, seen as its keys. For one thread, its device's.
public protocol KeyTransport: AnyObject {
    /// What a person calls it.
    var name: String { get }

    /// The next key that is pressed or released.
    func next(by deadline: Deadline) throws(DeviceError) -> KeyEvent
}

public enum KeyEvent: Sendable, Hashable {
    /// Codes of Linux's input subsystem (linux/input-event-codes.h).
    case pressed(UInt16)
    case released(UInt16)
    case repeated(UInt16)
    /// The kernel's queue ran over: keys are missing here.
    case lost
}
