import Contactless
import Testing

@testable import CardCapture

@Suite("Instructions for the cardholder") struct InstructionTests {
    @Test("A52: what readers can do says how a card is presented") func invitations() {
        let expected: [(ReaderCapabilities, ReaderEvent.Instruction?)] = [
            ([.contactChip, .contactlessChip, .magneticStripe], .tapOrInsertOrSwipeCard),
            ([.contactChip, .contactlessChip], .tapOrInsertCard),
            ([.contactlessChip, .magneticStripe], .tapOrSwipeCard),
            ([.contactChip, .magneticStripe, .display], .insertOrSwipeCard), (.contactlessChip, .presentCard),
            (.contactChip, .insertCard), (.magneticStripe, .swipeCard), (.battery, nil),
        ]
        for (capabilities, instruction) in expected { #expect(capabilities.invitation == instruction) }
    }

    /// The identifiers of EMV Contactless Book A, 9.4.
    @Test("A52: messages of contactless kernels that ask for something are cases") func messages() {
        let expected: [UInt8: ReaderEvent.Instruction] = [
            0x09: .enterPIN, 0x10: .removeCard, 0x15: .presentCard, 0x16: .processing, 0x17: .removeCard,
            0x18: .insertOrSwipeCard, 0x19: .presentOneCardOnly, 0x1C: .insertOrSwipeCard, 0x1D: .insertCard,
            0x20: .followTelephone, 0x21: .presentCardAgain,
        ]
        for message in UserInterfaceRequest.Message.allCases {
            #expect(ReaderEvent.Instruction(message) == expected[message.rawValue])
        }
    }

    @Test(
        "every instruction has a text in each language, within two lines of 20 characters",
        arguments: MessageLanguage.allCases)
    func texts(_ language: MessageLanguage) {
        for instruction in ReaderEvent.Instruction.allCases {
            let lines = language.lines(instruction)
            #expect((1...2).contains(lines.count), "\(instruction)")
            for line in lines {
                #expect((1...20).contains(line.count), "\(line)")
                #expect(line == line.uppercased())
                #expect(line.first != " ", "\(line)")
                #expect(line.last != " ", "\(line)")
            }
            if language != .english { #expect(lines != MessageLanguage.english.lines(instruction), "\(instruction)") }
        }
    }

    /// EMV 4.4 Book 4, table 6: messages 11 and 12.
    @Test("chip in place of stripe, and stripe in place of chip, in the words of the standard") func standardWords() {
        #expect(MessageLanguage.english.lines(.insertSwipedCard) == ["USE CHIP READER"])
        #expect(MessageLanguage.english.lines(.swipeInPlaceOfChip) == ["USE MAG STRIPE"])
    }
}
