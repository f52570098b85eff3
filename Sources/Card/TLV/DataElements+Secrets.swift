package import Bytes

/// Values with card data, without a copy that nothing wipes.
extension DataElements {
    /// The value of `tag`, or nil without a value.
    package func secret(_ tag: Tag) -> SecretBytes? {
        withValue(of: tag) { value in unsafe value.withUnsafeBufferPointer { unsafe SecretBytes($0) } }
    }

    /// The digits of the value of `tag`, in format `cn`, as ASCII; nil without a value, or if it has
    /// any other nibble.
    package func secretDigits(_ tag: Tag) -> SecretBytes? {
        withValue(of: tag) { value -> SecretBytes? in
            guard var digits = unsafe value.withUnsafeBufferPointer({ unsafe BCD.digits($0) }) else { return nil }
            return SecretBytes(wiping: &digits)
        } ?? nil
    }
}
