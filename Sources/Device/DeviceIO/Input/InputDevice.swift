internal import CDeviceIO

/// A keyboard through evdev. It is grabbed exclusively, so that no window or terminal receives its
/// keys.
public final class InputDevice: KeyTransport {
    public let name: String
    private let stream: StreamDescriptor
    private let event: WakeEvent?
    private var cancel: CInt { event?.descriptor ?? -1 }

    /// - Parameters:
    ///   - path: Such as `/dev/input/event3`, or preferably a link in `/dev/input/by-id`, which
    ///     does not change.
    ///   - cancel: Ends waits.
    public init(path: String, cancel: WakeEvent?) throws(DeviceError) {
        name = path
        let descriptor = unsafe cdio_open(path)
        guard descriptor >= 0 else { throw DeviceHolder.named(.opening(path, descriptor, "open"), path) }
        stream = StreamDescriptor(descriptor, call: "keyboard", cancel: cancel)
        event = cancel
        let grabbed = stream.claim(.keys)
        guard grabbed >= 0 else { throw DeviceHolder.named(.opening(path, grabbed, "EVIOCGRAB"), path) }
    }

    public func next(by deadline: Deadline) throws(DeviceError) -> KeyEvent {
        var key = cdio_key()
        try check(unsafe cdio_input_next(stream.descriptor, &key, cancel, deadline.nanoseconds), "keyboard")
        guard key.is_lost == 0 else { return .lost }
        switch key.state {
        case 0: return .released(key.code)
        case 1: return .pressed(key.code)
        default: return .repeated(key.code)
        }
    }
}

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
