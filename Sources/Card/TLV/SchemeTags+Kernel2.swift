/// The data objects of kernel 2 itself, with the names of EMV Contactless Book C-2, annex A.1: its
/// configuration, what it notes during a tap, and its outcome. No card sends them.
extension SchemeTags {
    static let kernel2: [Entry] = rows.map { tag, name, length in
        Entry(
            systems: [.mastercard], interface: .contactless,
            definition: TagDefinition(
                tag: tag, name: name, format: .binary, length: length, source: tag == 0xDF4B ? .card : .terminal,
                kernels: [2]))
    }

    private static let rows: [(tag: Tag, name: String, length: ClosedRange<Int>)] = [
        (0xDF4B, "POS Cardholder Interaction Information", 3...3), (0xDF8104, "Balance Read Before Gen AC", 6...6),
        (0xDF8105, "Balance Read After Gen AC", 6...6), (0xDF8106, "Data Needed", 0...255),
        (0xDF8107, "CDOL1 Related Data", 0...255),
        (0xDF810C, "Kernel ID", 1...1), (0xDF8110, "Proceed To First Write Flag", 0...1),
        (0xDF8111, "PDOL Related Data", 0...255),
        (0xDF8112, "Tags To Read", 0...255), (0xDF8113, "DRDOL Related Data", 0...255),
        (0xDF8114, "Reference Control Parameter", 1...1),
        (0xDF8116, "User Interface Request Data", 22...22), (0xDF8117, "Card Data Input Capability", 1...1),
        (0xDF8118, "CVM Capability - CVM Required", 1...1), (0xDF8119, "CVM Capability - No CVM Required", 1...1),
        (0xDF811A, "Default UDOL", 3...3), (0xDF811B, "Kernel Configuration", 1...1),
        (0xDF811C, "Max Lifetime of Torn Transaction Log Record", 2...2),
        (0xDF811D, "Max Number of Torn Transaction Log Records", 1...1),
        (0xDF811E, "Mag-stripe CVM Capability - CVM Required", 1...1), (0xDF811F, "Security Capability", 1...1),
        (0xDF8120, "Terminal Action Code - Default", 5...5), (0xDF8121, "Terminal Action Code - Denial", 5...5),
        (0xDF8122, "Terminal Action Code - Online", 5...5), (0xDF8123, "Reader Contactless Floor Limit", 6...6),
        (0xDF8124, "Reader Contactless Transaction Limit (No On-device CVM)", 6...6),
        (0xDF8125, "Reader Contactless Transaction Limit (On-device CVM)", 6...6),
        (0xDF8126, "Reader CVM Required Limit", 6...6),
        (0xDF8127, "Time Out Value", 2...2), (0xDF8129, "Outcome Parameter Set", 8...8),
        (0xDF812A, "DD Card (Track1)", 0...56),
        (0xDF812B, "DD Card (Track2)", 0...11), (0xDF812C, "Mag-stripe CVM Capability - No CVM Required", 1...1),
        (0xDF812D, "Message Hold Time", 3...3), (0xDF8130, "Hold Time Value", 1...1),
        (0xDF8131, "Phone Message Table", 8...255),
        (0xDF8132, "Minimum Relay Resistance Grace Period", 2...2),
        (0xDF8133, "Maximum Relay Resistance Grace Period", 2...2),
        (0xDF8134, "Terminal Expected Transmission Time For Relay Resistance C-APDU", 2...2),
        (0xDF8135, "Terminal Expected Transmission Time For Relay Resistance R-APDU", 2...2),
        (0xDF8136, "Relay Resistance Accuracy Threshold", 2...2),
        (0xDF8137, "Relay Resistance Transmission Time Mismatch Threshold", 1...1),
        (0xDF8301, "Terminal Relay Resistance Entropy", 4...4), (0xDF8302, "Device Relay Resistance Entropy", 4...4),
        (0xDF8303, "Min Time For Processing Relay Resistance APDU", 2...2),
        (0xDF8304, "Max Time For Processing Relay Resistance APDU", 2...2),
        (0xDF8305, "Device Estimated Transmission Time For Relay Resistance R-APDU", 2...2),
        (0xDF8306, "Measured Relay Resistance Processing Time", 2...2), (0xDF8307, "RRP Counter", 1...1),
        (0xFF8101, "Torn Record", 0...255),
        (0xFF8102, "Tags To Write Before Gen AC", 0...255), (0xFF8103, "Tags To Write After Gen AC", 0...255),
        (0xFF8104, "Data To Send", 0...255), (0xFF8105, "Data Record", 0...255),
        (0xFF8106, "Discretionary Data", 0...255),
    ]
}
