import Foundation
import ProcessMemory

/// Sales in processes of their own, and a search of what stays in their memory.
///
/// - `search WAY COUNT`: makes `COUNT` sales, each in another process, and prints what is left of
///   the card's number in each, and in the bench host of them all. Its status is 0 if nothing is
///   left in any that sold. `--show` in addition prints what is around each find.
/// - `host FOLDER CHAIN KEY`: serves the bench host over TLS, and prints `key`, an API key, and
///   `port`.
/// - `sale WAY FOLDER PORT CHAIN APIKEY DEVICE MODULUS`: makes one sale, and prints `done` with its
///   outcome. It then keeps its terminal until its standard input ends. `DEVICE` is the serial port
///   of the reader; `MODULUS` that of the authority that signed the card. A keyed number comes on
///   standard input.
@main
struct PaymentLane {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let way = arguments.count > 1 ? LaneSale.Way(rawValue: arguments[1]) : nil
        switch (arguments.first, way, arguments.count) {
        case ("search", let way?, 3...4):
            let isClean = try await ResidueSearch(way, showsFinds: arguments.last == "--show").run(
                Int(arguments[2]) ?? 1)
            exit(isClean ? 0 : 1)
        case ("host", _, 4): try await LaneHost.serve(arguments[1], certificate: (arguments[2], arguments[3]))
        case ("sale", .kept, 8):
            let number = CardNumberForms(digits: LaneSale.digits())
            print("done approved")
            fflush(nil)
            while getchar() != EOF {}
            withExtendedLifetime(number) {}
        case ("sale", let way?, 8):
            let sale = LaneSale(
                way: way, folder: arguments[2], port: arguments[3], chain: arguments[4], apiKey: arguments[5],
                device: arguments[6],
                modulus: arguments[7])
            let terminal = try await sale.perform()
            while getchar() != EOF {}
            withExtendedLifetime(terminal) {}
        default: exit(64)
        }
    }
}
