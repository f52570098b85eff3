internal import CDeviceIO

/// What keeps other programs away from an open device.
///
/// Closing the descriptor does not always give it up: a child process that is being started has the
/// descriptor too, until it runs its program. So each is given up by a call of its own.
enum DeviceClaim {
    /// The advisory lock that programs with this library take (flock(2)).
    case lock
    /// No other program can open the tty (ioctl_tty(2), TIOCEXCL).
    case tty
    /// Keys reach this descriptor only (EVIOCGRAB).
    case keys

    /// - Returns: Zero, or a negative error number.
    func take(_ descriptor: CInt) -> CInt {
        switch self {
        case .lock: cdio_lock(descriptor)
        case .tty: cdio_tty_claim(descriptor)
        case .keys: cdio_input_grab(descriptor)
        }
    }

    func giveUp(_ descriptor: CInt) {
        switch self {
        case .lock: cdio_unlock(descriptor)
        case .tty: cdio_tty_unclaim(descriptor)
        case .keys: cdio_input_ungrab(descriptor)
        }
    }
}
