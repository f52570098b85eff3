public import Bytes

/// Keys that standards and payment systems publish for tests. They are public and give no
/// protection.
public enum PublishedTestKeys {
    /// Whether `key` is a base derivation key or an initial key of the examples of DUKPT.
    public static func contains(_ key: SecretBytes) -> Bool {
        derivation.contains { text in (try? SecretBytes([UInt8](hex: text))) == key }
    }

    /// From ANSI X9.24-1:2009, annex A.4, and X9.24-3:2017, supplement.
    private static let derivation = [
        "0123456789ABCDEFFEDCBA9876543210", "6AC292FAA1315B4D858AB3A3D7D5933A",
        "FEDCBA9876543210F1F1F1F1F1F1F1F1", "1273671EA26AC29AFA4D1084127652A1",
        "FEDCBA9876543210F1F1F1F1F1F1F1F1FEDCBA9876543210", "5B6DEE2B5B7FABFFA32591F35BF8F23DD9329AE85131E584",
        "FEDCBA9876543210F1F1F1F1F1F1F1F1FEDCBA9876543210F1F1F1F1F1F1F1F1",
        "CE9CE0C101D1138F97FB6CAD4DF045A7083D4EAE2D35A31789D01CCF0949550F",
    ]

    /// Check sums (SHA-1) of the payment systems' keys for terminal testing.
    static let authorities: Set<String> = [
        // Mastercard EF, F1, F3, FE
        "21766EBB0EE122AFB65D7845B73DB46BAB65427A", "D8E68DA167AB5A85D8C3D55ECB9B0517A1A5B4BB",
        "A69AC7603DAF566E972DEDC2CB433E07E8B01A9A", "9A295B05FB390EF7923F57618A9FDA2941FC34E0",
        // Visa 92, 94, 95, 99
        "429C954A3859CEF91295F663C963E582ED6EB253", "C4A3C43CCF87327D136B804160E47D43B60E6E0F",
        "EE1511CEC71020A9B90443B37B1D5F6E703030F6", "4ABFFD6B1C51212D05552E431C5B17007D2F5E6D",
        // American Express 97
        "EBDA522B631B3EB4F4CBFC0679C450139D2B69CD",
    ]
}
