/// The exit codes of the commands.
public enum ExitStatus {
    /// Completed with the good result.
    public static let success: Int32 = 0
    /// Completed with the other result: declined, different, refused.
    public static let negative: Int32 = 1
    /// Not completed: bad input, or a failure of a file, a vault or a card.
    public static let failure: Int32 = 2
    /// Completed without faults, but keys were missing to check everything, or a part of a log was
    /// left out.
    public static let notChecked: Int32 = 3

    /// For the help texts; 64 is argument-parser's own (EX_USAGE of sysexits.h).
    public static let explanation = """
        EXIT STATUS
          0   done, with the good result
          1   done, with the other result: declined, different, refused
          2   not done: bad input, a file, a vault, a card
          3   done, and nothing is wrong, but not everything could be checked
          64  wrong usage
        """
}
