/// What the commands' exit codes mean.
public enum ExitStatus {
    /// It was done, and its result is the good one.
    public static let success: Int32 = 0
    /// It was done, and its result is the other one: declined, different, refused.
    public static let negative: Int32 = 1
    /// It could not be done: bad input, a file, a vault, a card.
    public static let failure: Int32 = 2
    /// It was done and nothing is wrong, but a key was missing to check everything.
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
