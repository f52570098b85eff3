package import CardCapture
package import Console

extension InputFile {
    /// The keys of a key file, for the data that stripe readers encrypt.
    package static func swipeKeys(_ path: String) throws(InputError) -> SwipeDecryption {
        let text = try SecretInput.text(path)
        do throws(SwipeKeyFileError) {
            return try SwipeDecryption(keyFile: text)
        } catch {
            throw InputError("\(name(path)): \(error)")
        }
    }
}
