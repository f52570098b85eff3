import ArgumentParser
import CardCapture
import CardReaders
import Console
import FoundationEssentials

struct UdevCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "udev",
        abstract: "Print, install or check the rules that let users open readers.",
        subcommands: [Print.self, Install.self, Check.self])

    struct Print: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the rules, which are made from the drivers' id tables.")
        func run() { print(UdevRules.text, terminator: "") }
    }

    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Install the rules and create the group; run as root. Connected readers get access at once.")

        @Option(help: ArgumentHelp("The folder for the rules.", valueName: "folder"))
        var folder = "/etc/udev/rules.d"

        @Flag(help: "Only write the file: create no group, and reload no rules.")
        var onlyFile = false

        func run() async throws {
            try await reportingErrors {
                let path = folder + "/" + UdevRules.fileName
                do throws(InputError) {
                    try OutputFile.replace(path, with: Array(UdevRules.text.utf8), isForAll: true)
                } catch {
                    throw InputError("\(path) cannot be written: run it as root (sudo), into a folder that exists")
                }
                print("wrote \(InputFile.name(path))")
                guard !onlyFile else { return }
                try Command.run("groupadd", ["--system", "--force", UdevRules.group])
                try Command.run("udevadm", ["control", "--reload"])
                try Command.run(
                    "udevadm",
                    ["trigger", "--subsystem-match=usb", "--subsystem-match=hidraw", "--subsystem-match=tty"])
                print(
                    "Users of hosts without a seat need the group: sudo usermod --append --groups \(UdevRules.group) NAME"
                )
            }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare a rules file with the drivers' id tables.",
            discussion: "The exit status is 1 if they differ.")

        @Argument(help: "The rules file.")
        var file = "/etc/udev/rules.d/" + UdevRules.fileName

        @Flag(help: "As JSON.")
        var json = false

        private struct Document: Encodable {
            let file: String
            let isCurrent: Bool
        }

        func run() async throws {
            try await reportingErrors {
                let isCurrent = try InputFile.text(file) == UdevRules.text
                if json {
                    print(try JSONText.of(Document(file: InputFile.name(file), isCurrent: isCurrent)))
                } else if isCurrent {
                    print("\(InputFile.name(file)) matches the drivers' id tables")
                } else {
                    print(
                        "\(InputFile.name(file)) differs from the drivers' id tables: `cardpresent udev install` updates it"
                    )
                }
                if !isCurrent { throw ExitCode(ExitStatus.negative) }
            }
        }
    }
}
