import Contactless
import Testing

@testable import CardCapture

@Suite("Instructions for the cardholder") struct InstructionTests {
    @Test("A52: what readers can do says how a card is presented") func invitations() {
        let expected: [(ReaderCapabilities, ReaderEvent.Instruction?)] = [
            ([.contactChip, .contactlessChip, .magneticStripe], .tapOrInsertOrSwipeCard),
            ([.contactChip, .contactlessChip], .tapOrInsertCard), ([.contactlessChip, .magneticStripe], .tapOrSwipeCard),
            ([.contactChip, .magneticStripe, .display], .insertOrSwipeCard), (.contactlessChip, .presentCard),
            (.contactChip, .insertCard), (.magneticStripe, .swipeCard), (.battery, nil),
        ]
        for (capabilities, instruction) in expected { #expect(capabilities.invitation == instruction) }
    }

    /// The identifiers of EMV Contactless Book A, 9.4.
    @Test("A52: messages of contactless kernels that ask for something are cases") func messages() {
        let expected: [UInt8: ReaderEvent.Instruction] = [
            0x09: .enterPIN, 0x10: .removeCard, 0x15: .presentCard, 0x16: .processing, 0x17: .removeCard, 0x18: .insertOrSwipeCard,
            0x19: .presentOneCardOnly, 0x1C: .insertOrSwipeCard, 0x1D: .insertCard, 0x20: .followTelephone, 0x21: .presentCardAgain,
        ]
        for message in UserInterfaceRequest.Message.allCases {
            #expect(ReaderEvent.Instruction(message) == expected[message.rawValue])
        }
    }
}
